"""The neural bag of words: the sum, or mean, of a text's word vectors."""

from collections.abc import Mapping
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.sequences import weighted_sum

POOLINGS = ("sum", "mean")


@keras.saving.register_keras_serializable(package="keras_qa")
class BagOfWords(MaskingLayer):
    """Sums the vectors of a text's words.

    With `x_i` the vector of the i-th of M words, the layer computes

        y = x_1 + ... + x_M          (`pooling="sum"`)
        y = (x_1 + ... + x_M) / M    (`pooling="mean"`)

    over the positions that the mask marks as words: padding changes nothing,
    and a text without words becomes the zero vector. Half-precision inputs are
    summed in float32.

    Args:
        pooling: `"sum"` (the paper) or `"mean"`.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, dim)`, without a mask.

    Raises:
        ValueError: if `pooling` is unknown.

    Example:
        >>> words = keras.ops.ones((1, 3, 2))
        >>> BagOfWords()(words, mask=keras.ops.array([[True, True, False]]))
        [[2., 2.]]

    Reference: Tay et al., 2018, "Hyperbolic Representation Learning for Fast
    and Efficient Neural Question Answering", section 3.3, equation 2.
    """

    input_spec = keras.layers.InputSpec(ndim=3)

    def __init__(self, pooling: str = "sum", **kwargs: Any):
        super().__init__(**kwargs)
        check_choice("pooling", pooling, POOLINGS)
        self.pooling = pooling

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Sums or averages over the axis of positions."""
        x = ops.cast(inputs, self.precise)
        if mask is None:
            pooled = ops.sum(x, axis=1)
            count = ops.cast(ops.shape(x)[1], x.dtype)
        else:
            weights = ops.cast(mask, x.dtype)
            pooled = weighted_sum(weights, x)
            count = ops.sum(weights, axis=1, keepdims=True)
        if self.pooling == "mean":
            pooled = pooled / ops.maximum(count, 1)
        return ops.cast(pooled, self.compute_dtype)

    def pool_packed(self, words: Any, batch: Mapping[str, Any]) -> Any:
        """Pools texts from the vectors of their distinct words.

        Args:
            words: float tensor `(slots, dim)`, one vector per slot.
            batch: the result of `keras_qa.text.packing.pack`.

        Returns:
            Float tensor `(rows, dim)`, equal to that of `call` for these texts.
        """
        x = ops.cast(words, self.precise)
        pooled = packed_sum(x, batch)
        if self.pooling == "mean":
            count = ops.cast(batch["lengths"], x.dtype)[:, None]
            pooled = pooled / ops.maximum(count, 1)
        return ops.cast(pooled, self.compute_dtype)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, dim)`."""
        return (input_shape[0], input_shape[2])


def packed_sum(words: Any, batch: Mapping[str, Any]) -> Any:
    """Sums the words of each text; the gradient is a sum of the same kind.

    Row r of the result is the sum of `words[slot]` over the tokens
    `(slot, r)`. Its gradient for a slot is the sum of the rows' gradients over
    the tokens `(slot, row)`. Both gather and then add consecutive rows; the
    gradient of automatic differentiation would scatter.

    Args:
        words: float tensor `(slots, dim)`.
        batch: the result of `keras_qa.text.packing.pack`.

    Returns:
        Float tensor `(rows, dim)`.
    """
    slots, rows = ops.shape(batch["words"])[0], ops.shape(batch["lengths"])[0]

    @ops.custom_gradient
    def gather_and_sum(x: Any) -> Any:
        def gradient(*args: Any, upstream: Any = None) -> Any:
            if upstream is None:
                (upstream,) = args
            tokens = ops.take(upstream, batch["rows_by_slot"], axis=0)
            return _sorted_sum(tokens, batch["slots_by_slot"], slots)

        tokens = ops.take(x, batch["slots_by_row"], axis=0)
        return _sorted_sum(tokens, batch["rows_by_row"], rows), gradient

    return gather_and_sum(words)


def _sorted_sum(data: Any, segments: Any, count: Any) -> Any:
    """Sums consecutive rows; the last segment is never empty."""
    if keras.backend.backend() == "tensorflow":
        # On TensorFlow, Keras takes the count from the last segment.
        return ops.segment_sum(data, segments, sorted=True)
    return ops.segment_sum(data, segments, num_segments=count, sorted=True)
