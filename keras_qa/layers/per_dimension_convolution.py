"""Convolutions over each dimension of a text's word vectors alone."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.sequences import narrow_windows
from keras_qa.layers.sequences import without_padding


@keras.saving.register_keras_serializable(package="keras_qa")
class PerDimensionConvolution(ConfiguredLayer):
    """Convolves each dimension of the word vectors with filters of its own.

        out_i[f, d] = tanh(w[f, d] · (x_i[d], ..., x_{i + k - 1}[d]) + b[f, d])

    with x_i[d] the entry d of the i-th word's vector and k the `kernel_size`.
    The windows and the mask are those of `NarrowConvolution`.

    Args:
        filters: number of filters of each dimension.
        kernel_size: number of words in a window.
        activation: activation of the outputs.
        kernel_initializer: initialiser of the kernel `(kernel_size, filters,
            dim)`; None for uniform in ±1 / sqrt(kernel_size). (An initialiser
            that reads fans from the shape takes them for those of a dense
            convolution.)
        kernel_regularizer: regulariser of the kernel.
        bias_regularizer: regulariser of the biases.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, length, filters * dim)`, the outputs of the
        first filter of all dimensions first, with a mask.

    Raises:
        ValueError: if `filters` or `kernel_size` is not a positive integer.

    Example:
        >>> PerDimensionConvolution(4, 3)(keras.ops.ones((2, 7, 5))).shape
        (2, 7, 20)

    Reference: He et al., 2015, "Multi-Perspective Sentence Similarity Modeling
    with Convolutional Neural Networks", the per-dimension filters.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        activation: Any = "tanh",
        kernel_initializer: Any = None,
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
        self.supports_masking = True

    def build(self, input_shape: tuple) -> None:
        """Creates the kernel and the biases."""
        bound = self.kernel_size**-0.5
        self.kernel = self.add_weight(
            name="kernel",
            shape=(self.kernel_size, self.filters, input_shape[-1]),
            initializer=self.kernel_initializer
            or keras.initializers.RandomUniform(-bound, bound),
            regularizer=self.kernel_regularizer,
        )
        self.bias = self.add_weight(
            name="bias",
            shape=(self.filters, input_shape[-1]),
            initializer="zeros",
            regularizer=self.bias_regularizer,
        )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Convolves over the axis of positions."""
        beyond = self.kernel_size - 1
        words = ops.pad(
            without_padding(inputs, mask), ((0, 0), (0, beyond), (0, 0))
        )
        # (batch_size, length, filters, dim)
        outputs = self.bias + sum(
            words[:, i : (i - beyond) or None, None, :] * self.kernel[i]
            for i in range(self.kernel_size)
        )
        size = self.filters * inputs.shape[2]
        outputs = ops.reshape(outputs, (-1, ops.shape(inputs)[1], size))
        return self.activation(outputs)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """True at the first word of each window within the text."""
        return narrow_windows(inputs, previous_mask, self.kernel_size)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, length, filters * dim)`."""
        return (*input_shape[:2], self.filters * input_shape[2])
