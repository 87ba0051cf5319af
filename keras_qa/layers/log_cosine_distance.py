"""Logarithm of the squared distance of two directions."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_above_zero
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.pair_layer import broadcast_shape
from keras_qa.vectors import unit_vectors


@keras.saving.register_keras_serializable(package="keras_qa")
class LogCosineDistance(PrecisePairLayer):
    """Logarithm of the squared Euclidean distance of two directions.

        d(q, a) = log(|q/|q| - a/|a||² + epsilon)
                = log(2 - 2 cos(q, a) + epsilon)

    It is what the distance of the Poincaré ball is, but for a constant, of two
    points of a sphere near the boundary. With |q| = |a| = r, g = 1 - r² and
    u = |q - a|² / g² = r² (2 - 2 cos) / g²,

        arcosh(1 + 2u) = log(1 + 2u + 2 √(u + u²)) = log(4u) + O(1/u)
                       = log(2 - 2 cos) + log(4 r² / g²) + O(1/u),

    so the distance ranks like the cosine, and a hinge on it has the gradients
    of a hinge on this logarithm. The direction of a zero vector is the zero
    vector. Half-precision inputs are computed, and returned, in float32. Masks
    are neither used nor passed on.

    Args:
        epsilon: added to the square, so that value and gradient are finite
            where both directions are one.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of tensors `(batch_size, dim)`.

    Output:
        Distances `(batch_size, 1)`, of either sign.

    Raises:
        ValueError: if `epsilon` is not positive.

    Example:
        >>> q, a = keras.ops.array([[2.0, 0.0]]), keras.ops.array([[0.0, 3.0]])
        >>> LogCosineDistance()([q, a])
        [[0.6931477]]

    Reference: the control of Tay et al., 2018, "Hyperbolic Representation
    Learning for Fast and Efficient Neural Question Answering", equation 4.
    """

    parts = {"question": ("...", "dim"), "answer": ("...", "dim")}

    def __init__(self, epsilon: float = 1e-6, **kwargs: Any):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        check_above_zero(epsilon=epsilon)
        self.epsilon = epsilon

    def call(self, inputs: Any) -> Any:
        """Computes the logarithms."""
        question, answer = (
            unit_vectors(ops.cast(x, self.precise)) for x in inputs
        )
        # Unlike 2 - 2 cos, the difference loses no digits near 0.
        squares = ops.square(question - answer)
        return ops.log(ops.sum(squares, axis=-1, keepdims=True) + self.epsilon)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """Returns the broadcast leading axes and a last axis of size 1."""
        return broadcast_shape(input_shape)
