"""A convolution whose outputs are 0 where its window is."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.masked_convolution import MaskedConvolution
from keras_qa.layers.sequences import any_word
from keras_qa.layers.sequences import in_windows
from keras_qa.layers.sequences import without_padding


@keras.saving.register_keras_serializable(package="keras_qa")
class GatedConvolution(MaskedConvolution):
    """A one-dimensional convolution with a gate against windows of zeros.

        z_i = g(x_i) · f(W x_i + b)

    where x_i is the concatenation of the positions i to i + k - 1, with k the
    `kernel_size`, and the gate g(x_i) is 0 if all elements of x_i are 0, and 1
    otherwise. The layer reads padding, and what follows the text, as zeros:
    there is a window at each word, and the outputs at padding after a text are
    0, whatever the bias is. Padding should follow the words: at padding before
    them, windows contain the first words. The mask is passed on.

    Args:
        filters: size of the output vectors.
        kernel_size: number of positions in a window.
        activation: the function f.
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
        >>> GatedConvolution(4, 3)(keras.ops.ones((2, 7, 5))).shape
        (2, 7, 4)

    Reference: Hu et al., 2014, "Convolutional Neural Network Architectures for
    Matching Natural Language Sentences", section 2, equations 1 and 2.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        activation: Any = "relu",
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
        words = ops.pad(words, ((0, 0), end, (0, 0)))
        outputs = super().call(words)
        full = ops.cast(ops.any(words != 0, axis=-1), "int32")
        read = any_word(in_windows(full, self.kernel_size[0]))
        return ops.where(read[:, :, None], outputs, ops.zeros_like(outputs))

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, length, filters)`."""
        return (*input_shape[:2], self.filters)
