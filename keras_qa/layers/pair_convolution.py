"""A convolution over all pairs of a window of each of two texts."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.sequences import any_word
from keras_qa.layers.sequences import in_windows
from keras_qa.layers.sequences import without_padding


@keras.saving.register_keras_serializable(package="keras_qa")
class PairConvolution(PairLayer, MaskingLayer):
    """A convolution over the concatenations of two texts' windows.

    With x_i:i+k the concatenated vectors of the k words of the question from
    word i on, and y_j:j+k those of the answer,

        z_ij = [x_i:i+k, y_j:j+k]
        h_ij = g(z_ij) f(W z_ij + b)

    for all i and j, where g is 0 if all elements of `z_ij` are zeros, and 1
    otherwise. Padding is read as zeros, and so are the positions beyond the
    end of a text. `W z_ij` is computed as the sum of a convolution of each
    text: the concatenations are never stored.

    Args:
        filters: size of the output vectors.
        kernel_size: number of words in a window (the paper's k1).
        activation: the function f.
        kernel_initializer: initialiser of `W`, whose shape is `(2,
            kernel_size, dim, filters)`.
        kernel_regularizer: regulariser of `W`.
        bias_regularizer: regulariser of b.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_length, dim)` and `(batch_size, answer_length, dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words.
            Where there is none, all positions are words.

    Output:
        Float tensor `(batch_size, question_length, answer_length, filters)`,
        without a mask.

    Raises:
        ValueError: if a size is not a positive integer, or the inputs are not
            two sequences of vectors of one size.

    Example:
        >>> question = keras.random.normal((2, 5, 8))
        >>> answer = keras.random.normal((2, 9, 8))
        >>> PairConvolution(4, 3)([question, answer]).shape
        (2, 5, 9, 4)

    Reference: Hu et al., 2014, "Convolutional Neural Network Architectures for
    Matching Natural Language Sentences", section 3.2, with the gate of
    section 2.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        activation: Any = "relu",
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(filters=filters, kernel_size=kernel_size)
        self.filters = filters
        self.kernel_size = kernel_size
        self.activation = keras.activations.get(activation)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)

    def build(self, input_shape: Any) -> None:
        """Creates `W` and b."""
        self.kernel = self.add_weight(
            name="kernel",
            shape=(2, self.kernel_size, input_shape[0][-1], self.filters),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
        )
        self.bias = self.add_weight(
            name="bias",
            shape=(self.filters,),
            initializer="zeros",
            regularizer=self.bias_regularizer,
        )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Convolves over all pairs of windows."""
        masks = mask or (None, None)
        texts = [
            without_padding(text, text_mask)
            for text, text_mask in zip(inputs, masks, strict=True)
        ]
        question, answer = (
            ops.conv(
                self._with_end(text),
                self.kernel[i],
                padding="valid",
                data_format="channels_last",
            )
            for i, text in enumerate(texts)
        )
        asked, answered = map(self._windows_with_a_word, texts)
        # (batch_size, question_length, answer_length, filters)
        sums = question[:, :, None] + answer[:, None] + self.bias
        gate = asked[:, :, None, None] | answered[:, None, :, None]
        grid = self.activation(sums)
        return ops.where(gate, grid, ops.zeros_like(grid))

    def _with_end(self, x: Any) -> Any:
        """Appends the positions that windows reach beyond the end."""
        return ops.pad(x, ((0, 0), (0, self.kernel_size - 1), (0, 0)))

    def _windows_with_a_word(self, text: Any) -> Any:
        """True where the window that begins there is not all zeros."""
        words = ops.any(ops.not_equal(text, 0), axis=-1, keepdims=True)
        words = self._with_end(ops.cast(words, "int32"))[..., 0]
        return any_word(in_windows(words, self.kernel_size))

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, question_length, answer_length, filters)`."""
        question, answer = input_shape
        return (*question[:2], answer[1], self.filters)
