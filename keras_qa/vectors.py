"""Directions and distances of vectors, with gradients that stay finite."""

from typing import Any

from keras import ops

from keras_qa.precision import at_least_float32

SMALLEST_NORM = 1e-6
SMALLEST_DISTANCE = 1e-6


def unit_vectors(x: Any) -> Any:
    """Divides vectors by their norms, in float32 at least.

    Args:
        x: float tensor `(..., dim)`.

    Returns:
        Float tensor of the same shape; a zero vector stays zero, with the
        gradient 0.
    """
    x = ops.cast(x, at_least_float32(x.dtype))
    return x * inverse_norms(ops.sum(ops.square(x), axis=-1, keepdims=True))


def inverse_norms(squared: Any) -> Any:
    """What vectors are multiplied by to become unit vectors.

    Args:
        squared: float tensor, the squares of the norms.

    Returns:
        Float tensor of the same shape: 1 / norm, the norm being at least 1e-6,
        and 0 for a zero vector. Without the 0, its gradient would be 1e6 times
        that of its direction.
    """
    inverse = ops.rsqrt(ops.maximum(squared, SMALLEST_NORM**2))
    return ops.where(ops.equal(squared, 0), 0.0, inverse)


def bounded_distance(x: Any, y: Any) -> Any:
    """Euclidean distance, at least 1e-6: equal vectors have no gradient.

    Args:
        x: float tensor `(..., dim)`.
        y: float tensor of a shape that broadcasts with that of `x`.

    Returns:
        Float tensor `(..., 1)`.
    """
    squared = ops.sum(ops.square(x - y), axis=-1, keepdims=True)
    return ops.sqrt(ops.maximum(squared, SMALLEST_DISTANCE**2))
