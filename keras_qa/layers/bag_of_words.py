"""The neural bag of words: the sum, or mean, of a text's word vectors."""

from typing import Any

import keras
from keras import ops

POOLINGS = ("sum", "mean")


@keras.saving.register_keras_serializable(package="keras_qa")
class BagOfWords(keras.layers.Layer):
    """Sums the vectors of a text's words.

    With `x_i` the vector of the i-th of M words, the layer computes

        y = x_1 + ... + x_M          (`pooling="sum"`)
        y = (x_1 + ... + x_M) / M    (`pooling="mean"`)

    over the positions that the mask marks as words: padding changes nothing,
    and a text without words becomes the zero vector. The mask matters even
    when padded word vectors are zero, because a projection with a bias makes
    them `activation(b)`. Half-precision inputs are summed in float32.

    Args:
        pooling: `"sum"` (the paper) or `"mean"`.

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

    def __init__(self, pooling: str = "sum", **kwargs: Any):
        super().__init__(**kwargs)
        if pooling not in POOLINGS:
            raise ValueError(
                f"`pooling` must be one of {POOLINGS}. "
                f"Received: pooling={pooling!r}"
            )
        self.pooling = pooling
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Sums or averages over the axis of positions."""
        x = ops.cast(inputs, keras.backend.result_type(inputs.dtype, "float32"))
        if mask is None:
            pooled = ops.sum(x, axis=1)
            count = ops.cast(ops.shape(x)[1], x.dtype)
        else:
            weights = ops.cast(mask, x.dtype)[:, :, None]
            pooled = ops.sum(x * weights, axis=1)
            count = ops.sum(weights, axis=1)  # (batch_size, 1)
        if self.pooling == "mean":
            pooled = pooled / ops.maximum(count, 1)
        return ops.cast(pooled, self.compute_dtype)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """No mask: the axis of positions is gone."""
        return None

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, dim)`."""
        return (input_shape[0], input_shape[2])

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "pooling": self.pooling}
