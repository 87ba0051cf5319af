"""A convolution over a grid that leaves windows of zeros at zero."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.masked_convolution import OneBatchAxis


@keras.saving.register_keras_serializable(package="keras_qa")
class GatedConvolution2D(OneBatchAxis, keras.layers.Conv2D):
    """A two-dimensional convolution whose output is 0 where its input is.

    With z_ij the elements of the window of `kernel_size` by `kernel_size`
    cells whose first cell is (i, j), with zeros beyond the last cells,

        h_ij = g(z_ij) f(W z_ij + b)

    where g is 0 if all elements of `z_ij` are zeros, and 1 otherwise: what is
    padding in the first grid stays 0.

    Args:
        filters: size of the output vectors.
        kernel_size: height and width of the windows.
        activation: the function f.
        **kwargs: other arguments of `keras.layers.Conv2D` than `strides`,
            `padding` and `data_format`.

    Call arguments:
        inputs: float tensor `(batch_size, rows, columns, channels)`.

    Output:
        Float tensor `(batch_size, rows, columns, filters)`.

    Raises:
        ValueError: if `filters` or `kernel_size` is not a positive integer.

    Example:
        >>> GatedConvolution2D(4, 3)(keras.ops.ones((2, 7, 5, 3))).shape
        (2, 7, 5, 4)

    Reference: Hu et al., 2014, "Convolutional Neural Network Architectures for
    Matching Natural Language Sentences", section 3.2, with the gate of
    section 2.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        activation: Any = "relu",
        **kwargs: Any,
    ):
        # In a configuration of Keras, `kernel_size` is a list.
        size = kernel_size
        if isinstance(size, list | tuple) and len({*size}) == 1:
            size = size[0]
        check_positive(filters=filters, kernel_size=size)
        super().__init__(
            filters,
            size,
            strides=1,
            padding="valid",
            data_format="channels_last",
            activation=activation,
            **kwargs,
        )

        if self.dilation_rate != (1, 1):
            raise ValueError(
                "`dilation_rate` must be 1 in a GatedConvolution2D. "
                f"Received: dilation_rate={self.dilation_rate}"
            )

    def call(self, inputs: Any) -> Any:
        """Convolves over rows and columns."""
        end = (0, self.kernel_size[0] - 1)
        padded = ops.pad(inputs, ((0, 0), end, end, (0, 0)))
        output = super().call(padded)
        cells = ops.any(ops.not_equal(padded, 0), axis=-1, keepdims=True)
        gate = ops.max_pool(
            ops.cast(cells, output.dtype),
            self.kernel_size,
            strides=1,
            padding="valid",
            data_format="channels_last",
        )
        return ops.where(gate > 0, output, ops.zeros_like(output))

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, rows, columns, filters)`."""
        return (*input_shape[:3], self.filters)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        config = super().get_config()
        for name in ("padding", "data_format", "strides"):
            del config[name]
        return config
