"""A convolution over the words of a text that reads padding as zeros."""

from typing import Any

import keras

from keras_qa.layers.masked_convolution import MaskedConvolution


@keras.saving.register_keras_serializable(package="keras_qa")
class TextConvolution(MaskedConvolution):
    """A one-dimensional convolution that reads padding as zeros.

    Output i is computed from a window of `kernel_size` words centred at word
    i, with zeros beyond both ends of the text (`padding="same"`). Unlike
    Keras's `Conv1D`, this layer sets padding to zero first, so that padding
    changes no output at a word. Outputs at padding are not zero: layers that
    pool them must apply the mask, which is passed on.

    Args:
        filters: size of the output vectors.
        kernel_size: number of words that an output depends on.
        **kwargs: other arguments of `keras.layers.Conv1D` than `strides`,
            `padding` and `data_format`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, length, filters)`.

    Raises:
        ValueError: if `filters` or `kernel_size` is not a positive integer.

    Example:
        >>> TextConvolution(4, 3)(keras.ops.ones((2, 7, 5))).shape
        (2, 7, 4)

    Reference: dos Santos et al., 2016, "Attentive Pooling Networks",
    section 2.2.
    """

    def __init__(self, filters: int, kernel_size: int, **kwargs: Any):
        super().__init__(filters, kernel_size, padding="same", **kwargs)
