"""The mean of a text's vectors, weighted by a softmax of scores."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.sequences import masked_softmax
from keras_qa.layers.sequences import weighted_sum


@keras.saving.register_keras_serializable(package="keras_qa")
class SoftmaxPooling(PrecisePairLayer, MaskingLayer):
    """Averages vectors with the softmax of given scores as weights.

        y = sum over t of w_t x_t
        w_t = exp(e_t) / sum over s of exp(e_s)

    over the positions that the mask marks as words: a weight on padding is
    exactly 0, and a text without words becomes the zero vector. Half-precision
    inputs are weighted, and the mean returned, in float32.

    Args:
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[values, scores]` of float tensors `(batch_size, length,
            dim)` and `(batch_size, length)`.
        mask: list of two masks, of which the first is used: a bool tensor
            `(batch_size, length)`, true at words. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, dim)`, without a mask.

    Raises:
        ValueError: if the inputs are not a sequence of vectors and one of
            numbers.

    Example:
        >>> values = keras.ops.array([[[1.0, 0.0], [0.0, 3.0]]])
        >>> SoftmaxPooling()([values, keras.ops.array([[0.0, 0.0]])])
        [[0.5, 1.5]]
    """

    parts = {
        "values": ("batch_size", "length", "dim"),
        "scores": ("batch_size", "length"),
    }

    def __init__(self, **kwargs: Any):
        # Autocasting would round the scores to half precision on the way in.
        super().__init__(autocast=False, **kwargs)

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Weighs the vectors."""
        values, scores = (ops.cast(x, self.precise) for x in inputs)
        weights = masked_softmax(scores, None if mask is None else mask[0])
        # (batch_size, 1, length) by (batch_size, length, dim)
        return weighted_sum(weights, values)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, dim)`."""
        return (input_shape[0][0], input_shape[0][2])
