"""A convolution over all windows that contain a word of the text."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.masked_convolution import MaskedConvolution
from keras_qa.layers.sequences import any_word
from keras_qa.layers.sequences import in_windows
from keras_qa.layers.sequences import without_padding


@keras.saving.register_keras_serializable(package="keras_qa")
class WideConvolution(MaskedConvolution):
    """A one-dimensional convolution over all windows with a word of the text.

        C = tanh(W Z)

    where the columns of `Z` are the concatenated vectors of `kernel_size`
    neighbouring positions, with zeros beyond both ends of the text. A text of
    L words has L + kernel_size - 1 such windows, from the window with only the
    first word to the window with only the last. The layer reads padding as
    zeros, and its output mask marks the windows with a word.

    Args:
        filters: size of the output vectors (the paper's c).
        kernel_size: number of positions that an output depends on (the
            paper's k).
        activation: activation of the outputs, tanh in equation 8.
        use_bias: whether a bias is added. Equation 8 has none.
        **kwargs: other arguments of `keras.layers.Conv1D` than `strides`,
            `padding` and `data_format`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, length + kernel_size - 1, filters)`.

    Raises:
        ValueError: if `filters` or `kernel_size` is not a positive integer.

    Example:
        >>> WideConvolution(4, 3)(keras.ops.ones((2, 7, 5))).shape
        (2, 9, 4)

    Reference: Tan et al., 2016, "Improved Representation Learning for
    Question Answer Matching", section 3.2.1, equation 8; Kalchbrenner et al.,
    2014, "A Convolutional Neural Network for Modelling Sentences",
    section 3.1.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        activation: Any = "tanh",
        use_bias: bool = False,
        **kwargs: Any,
    ):
        super().__init__(
            filters,
            kernel_size,
            padding="valid",
            activation=activation,
            use_bias=use_bias,
            **kwargs,
        )
        # The most positions of a window beyond an end of the text.
        self.beyond = self.kernel_size[0] - 1

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Convolves over the axis of positions."""
        ends = (self.beyond, self.beyond)
        inputs = without_padding(inputs, mask)
        return super().call(ops.pad(inputs, ((0, 0), ends, (0, 0))))

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """True at the windows that have a word, or None without a mask."""
        if previous_mask is None:
            return None
        ends = (self.beyond, self.beyond)
        words = ops.pad(ops.cast(previous_mask, "int32"), ((0, 0), ends))
        # Window i has the padded positions i to i + beyond.
        return any_word(in_windows(words, self.beyond + 1))

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, length + kernel_size - 1, filters)`."""
        batch_size, length, _ = input_shape
        wide = None if length is None else length + self.beyond
        return (batch_size, wide, self.filters)
