"""A convolution over the windows that lie within the text."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.masked_convolution import MaskedConvolution
from keras_qa.layers.sequences import narrow_windows
from keras_qa.layers.sequences import without_padding


@keras.saving.register_keras_serializable(package="keras_qa")
class NarrowConvolution(MaskedConvolution):
    """A one-dimensional convolution over the windows within a text.

        out_i = tanh(w · (x_i, ..., x_{i + k - 1}) + b)

    for each filter (w, b), with k the `kernel_size`. A text of L words has
    L - k + 1 such windows, and a shorter text with words one, with zeros
    beyond its end. The output mask marks these windows at their first word;
    the other outputs have no meaning.

    Args:
        filters: size of the output vectors.
        kernel_size: number of words in a window.
        activation: activation of the outputs.
        **kwargs: other arguments of `keras.layers.Conv1D` than `strides`,
            `padding` and `data_format`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, length, filters)`, with a mask.

    Raises:
        ValueError: if `filters` or `kernel_size` is not a positive integer.

    Example:
        >>> NarrowConvolution(4, 3)(keras.ops.ones((2, 7, 5))).shape
        (2, 7, 4)

    Reference: He et al., 2015, "Multi-Perspective Sentence Similarity Modeling
    with Convolutional Neural Networks", the holistic filters; Yu et al., 2014,
    "Deep Learning for Answer Sentence Selection", section 3.2.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        activation: Any = "tanh",
        **kwargs: Any,
    ):
        super().__init__(
            filters,
            kernel_size,
            padding="valid",
            activation=activation,
            **kwargs,
        )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Convolves over the axis of positions."""
        end = (0, self.kernel_size[0] - 1)
        words = without_padding(inputs, mask)
        return super().call(ops.pad(words, ((0, 0), end, (0, 0))))

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """True at the first word of each window within the text."""
        return narrow_windows(inputs, previous_mask, self.kernel_size[0])

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, length, filters)`."""
        return (*input_shape[:2], self.filters)
