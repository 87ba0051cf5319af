"""The largest value of each feature over a text's words."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.base_layer import MaskingLayer


@keras.saving.register_keras_serializable(package="keras_qa")
class MaxOverTime(MaskingLayer):
    """Takes each feature's maximum over the positions of a text.

        y_j = max(x_1j, ..., x_Mj)

    over the M positions that the mask marks as words: padding changes nothing,
    even if all values are negative. A text without words becomes the zero
    vector.

    Args:
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, dim)`, without a mask.

    Example:
        >>> words = keras.ops.array([[[-3.0], [-2.0], [0.0]]])
        >>> mask = keras.ops.array([[True, True, False]])
        >>> MaxOverTime()(words, mask=mask)
        [[-2.]]

    Reference: Collobert et al., 2011, "Natural Language Processing (Almost)
    from Scratch", section 3.3.2.
    """

    input_spec = keras.layers.InputSpec(ndim=3)

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Takes the maximum over the axis of positions."""
        if mask is None:
            return ops.max(inputs, axis=1)
        words = ops.cast(mask, "bool")[:, :, None]
        lowest = ops.cast(-float("inf"), inputs.dtype)
        largest = ops.max(ops.where(words, inputs, lowest), axis=1)
        return ops.where(ops.any(words, axis=1), largest, 0)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, dim)`."""
        return (input_shape[0], input_shape[2])
