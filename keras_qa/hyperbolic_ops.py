"""What both charts of hyperbolic space compute with: norms, roots, inverses."""

import math
from typing import Any

from keras import ops

from keras_qa.precision import at_least_float32

Tensor = Any


def floating(x: Tensor) -> Tensor:
    """Float tensors; half precision becomes float32."""
    dtype = getattr(x, "dtype", "float32")
    return ops.cast(x, at_least_float32(dtype))


def squared_norm(x: Tensor) -> Tensor:
    """Squares of the Euclidean norms, shape `(..., 1)`."""
    return ops.sum(ops.square(x), axis=-1, keepdims=True)


def norm(x: Tensor) -> Tensor:
    """Euclidean norm with gradient 0, not NaN, at the zero vector."""
    return root(squared_norm(x))


def root(x: Tensor) -> Tensor:
    """Square root with gradient 0, not NaN, at 0."""
    positive = x > 0
    # Two `where`s: the gradient of the branch not taken must be finite too.
    found = ops.sqrt(ops.where(positive, x, ops.ones_like(x)))
    return ops.where(positive, found, ops.zeros_like(found))


def inverse_softplus(x: float) -> float:
    """The number whose softplus, log(1 + exp), is a positive number."""
    # log(exp(x) - 1) overflows above 709.
    return x + math.log(-math.expm1(-x))


def arsinh(x: Tensor) -> Tensor:
    """Arsinh; `keras_qa.export.tracing` replaces it for TensorFlow Lite."""
    return ops.arcsinh(x)


def sinh(x: Tensor) -> Tensor:
    """Sinh; `keras_qa.export.tracing` replaces it for TensorFlow Lite."""
    return ops.sinh(x)
