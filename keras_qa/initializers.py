"""Initialisers of weights that Keras does not have."""

from typing import Any

import keras


@keras.saving.register_keras_serializable(package="keras_qa")
class ScaledIdentity(keras.initializers.Identity):
    """A multiple of the identity matrix, whose copies keep the factor.

    Keras's own `Identity(gain)` leaves the gain out of its configuration, so a
    copy of it starts with 1.

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


def uniform_initializers(limit: float | None, *kinds: str) -> dict[str, Any]:
    """The initialiser arguments of a layer whose weights start uniform.

    A layer has to get its own: one initialiser gives equal shapes equal
    values each time.

    Args:
        limit: the weights start in (-limit, limit); `None` leaves the choice
            to Keras.
        *kinds: kinds of weights, such as `"kernel"` and `"bias"`.

    Returns:
        Dict of arguments such as `kernel_initializer`.

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
