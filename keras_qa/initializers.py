"""Weight initialisers that Keras lacks."""

from typing import Any

import keras


@keras.saving.register_keras_serializable(package="keras_qa")
class ScaledIdentity(keras.initializers.Identity):
    """A multiple of the identity matrix.

    Keras's `Identity(gain)` leaves the gain out of its configuration, so that
    a copy has the gain 1; copies of this class keep the gain.

    Args:
        gain: the factor.

    Example:
        >>> QueryAttention(256, kernel_initializer=ScaledIdentity(0.1))
    """

    def __init__(self, gain: float = 1.0):
        super().__init__(gain)

    def get_config(self) -> dict[str, Any]:
        """The constructor's argument."""
        return {"gain": self.gain}


def fresh(initializer: Any) -> Any:
    """A copy of an initialiser, for another weight.

    An initialiser without a seed draws one when it is made, so that weights
    that share it start with the same numbers.

    Args:
        initializer: an initialiser, copied, or a function, returned as it is.
    """
    if isinstance(initializer, keras.initializers.Initializer):
        return initializer.clone()
    return initializer


def uniform_initializers(limit: float | None, *kinds: str) -> dict[str, Any]:
    """Returns initialiser arguments for a layer whose weights start uniform.

    Call it once for each layer: an initialiser that is used twice gives
    weights of equal shapes equal values.

    Args:
        limit: the weights start in (-limit, limit); `None` keeps the
            defaults of Keras.
        *kinds: kinds of weights, such as `"kernel"` and `"bias"`.

    Returns:
        Dict of arguments such as `kernel_initializer`; empty without a limit.

    Raises:
        ValueError: if `limit` is not positive.
    """
    if limit is None:
        return {}
    if limit <= 0:
        raise ValueError(
            "`initializer_range` must be positive or None. "
            f"Received: initializer_range={limit!r}"
        )
    return {
        f"{kind}_initializer": keras.initializers.RandomUniform(-limit, limit)
        for kind in kinds
    }
