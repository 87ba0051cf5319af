"""Weights that start uniform in a range around 0."""

from typing import Any

import keras


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
            f"Received: initializer_range={limit}"
        )
    return {
        f"{kind}_initializer": keras.initializers.RandomUniform(-limit, limit)
        for kind in kinds
    }
