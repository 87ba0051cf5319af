"""Convolutions over each dimension of a text's word vectors alone."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.sequences import narrow_windows
from keras_qa.layers.sequences import without_padding

POOLINGS = (None, "max", "min")


@keras.saving.register_keras_serializable(package="keras_qa")
class PerDimensionConvolution(ConfiguredLayer):
    """Convolves each dimension of the word vectors with filters of its own.

        out_i[f, d] = tanh(w[f, d] · (x_i[d], ..., x_{i + k - 1}[d]) + b[f, d])

    with x_i[d] the entry d of the i-th word's vector and k the `kernel_size`.
    The windows and the mask are those of `NarrowConvolution`. With `pooling`,
    the output is that of `MaxOverTime` or `MinOverTime` of these vectors, and
    0 for a text without words. The largest sum is found before the bias and
    the activation are applied, which an increasing activation allows and which
    takes a third of the time.

    Args:
        filters: number of filters of each dimension.
        kernel_size: number of words in a window.
        activation: activation of the outputs; an increasing function where
            outputs are pooled.
        pooling: None, `"max"` or `"min"`, over the windows of a text.
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
        first filter of all dimensions first, with a mask; with pooling
        `(batch_size, filters * dim)`, without one.

    Raises:
        ValueError: if `filters` or `kernel_size` is not a positive integer, or
            `pooling` is unknown.

    Example:
        >>> PerDimensionConvolution(4, 3)(keras.ops.ones((2, 7, 5))).shape
        (2, 7, 20)

    Reference: He et al., 2015, "Multi-Perspective Sentence Similarity Modeling
    with Convolutional Neural Networks", the per-dimension filters.
    """

    input_spec = keras.layers.InputSpec(ndim=3)

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        activation: Any = "tanh",
        kernel_initializer: Any = None,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        pooling: str | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(filters=filters, kernel_size=kernel_size)
        check_choice("pooling", pooling, POOLINGS)
        self.filters = filters
        self.kernel_size = kernel_size
        self.activation = keras.activations.get(activation)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)
        self.pooling = pooling
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
        """Convolves over the axis of positions, and pools."""
        beyond = self.kernel_size - 1
        padded = ops.pad(
            without_padding(inputs, mask), ((0, 0), (0, beyond), (0, 0))
        )
        # The i-th words of all windows, (batch_size, length, dim) each.
        words = [
            padded[:, i : (i - beyond) or None] for i in range(self.kernel_size)
        ]
        if self.pooling:
            return self._pooled(words, self._windows(inputs, mask))
        # (batch_size, length, filters, dim)
        outputs = self.bias + sum(
            words[i][:, :, None, :] * self.kernel[i]
            for i in range(self.kernel_size)
        )
        size = self.filters * inputs.shape[2]
        outputs = ops.reshape(outputs, (-1, ops.shape(inputs)[1], size))
        return self.activation(outputs)

    def _pooled(self, words: list[Any], windows: Any) -> Any:
        """The extreme output of each filter, `(batch_size, filters * dim)`.

        Args:
            words: the i-th words of all windows.
            windows: bool `(batch_size, length)`, true where a window is.
        """
        extreme = ops.max if self.pooling == "max" else ops.min
        # A window more than once changes no extreme: no outputs are masked.
        first = ops.argmax(ops.cast(windows, "int32"), axis=1)[:, None, None]
        words = [
            ops.where(
                windows[:, :, None], x, ops.take_along_axis(x, first, axis=1)
            )
            for x in words
        ]
        if self.kernel_size == 1:
            # One product is linear: only its ends can be extreme.
            ends = [ops.min(words[0], axis=1), ops.max(words[0], axis=1)]
            products = [x[:, None, :] * self.kernel[0] for x in ends]
            sums = extreme(ops.stack(products), axis=0)
        else:
            _, length, dim = ops.shape(words[0])
            # (dim, kernel_size, batch_size, length)
            stacked = ops.transpose(ops.stack(words), (3, 0, 1, 2))
            sums = ops.matmul(
                ops.transpose(self.kernel, (2, 1, 0)),
                ops.reshape(stacked, (dim, self.kernel_size, -1)),
            )
            sums = ops.reshape(sums, (dim, self.filters, -1, length))
            sums = ops.transpose(extreme(sums, axis=-1), (2, 1, 0))
        size = self.filters * words[0].shape[2]
        outputs = self.activation(ops.reshape(sums + self.bias, (-1, size)))
        return ops.where(ops.any(windows, axis=1, keepdims=True), outputs, 0)

    def _windows(self, inputs: Any, mask: Any) -> Any:
        return narrow_windows(inputs, mask, self.kernel_size)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """True at the first word of each window; None of pooled outputs."""
        return None if self.pooling else self._windows(inputs, previous_mask)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, length, filters * dim)`; pooled, without length."""
        size = self.filters * input_shape[2]
        return (*input_shape[: 1 if self.pooling else 2], size)
