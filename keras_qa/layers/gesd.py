"""GESD: a similarity of two vectors from their distance and dot product."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_above_zero
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.pair_layer import broadcast_shape
from keras_qa.vectors import bounded_distance


@keras.saving.register_keras_serializable(package="keras_qa")
class GESD(PrecisePairLayer):
    """Euclidean distance and sigmoid of the dot product, multiplied.

        GESD(x, y) = 1 / (1 + |x - y|) * 1 / (1 + exp(-gamma (<x, y> + c)))

    The name abbreviates "geometric mean of Euclidean and sigmoid dot product";
    the paper prints the product without a root, which gives the same ranking.
    Distances are bounded below by 1e-6, so that the gradient is finite, and
    zero, where the vectors are equal. Half-precision inputs are computed, and
    returned, in float32. Masks are neither used nor passed on.

    Args:
        gamma: factor of the dot product; the paper does not give it.
        c: added to the dot product; the paper does not give it.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size, dim)`.

    Output:
        Similarities between 0 and 1, a float tensor `(batch_size, 1)`.

    Raises:
        ValueError: if `gamma` is not positive, or the inputs are not two
            vectors of the same size.

    Example:
        >>> q, a = keras.ops.array([[1.0, 0.0]]), keras.ops.array([[1.0, 1.0]])
        >>> GESD()([q, a])
        [[0.44039854]]

    Reference: Feng et al., 2015, "Applying Deep Learning to Answer Selection:
    A Study and an Open Task", section on similarities.
    """

    parts = {"question": ("...", "dim"), "answer": ("...", "dim")}

    def __init__(self, gamma: float = 1.0, c: float = 1.0, **kwargs: Any):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        check_above_zero(gamma=gamma)
        self.gamma = gamma
        self.c = c

    def call(self, inputs: Any) -> Any:
        """Computes the similarities."""
        question, answer = (ops.cast(x, self.precise) for x in inputs)
        distance = bounded_distance(question, answer)
        product = ops.sum(question * answer, axis=-1, keepdims=True)
        return ops.sigmoid(self.gamma * (product + self.c)) / (1 + distance)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """Returns the broadcast leading axes and a last axis of size 1."""
        return broadcast_shape(input_shape)
