"""The base of convolutions that read padding as zeros."""

from typing import Any

import keras

from keras_qa.arguments import check_positive
from keras_qa.layers.sequences import without_padding


class OneBatchAxis(keras.layers.Layer):
    """A convolution of Keras that does not take several axes of batches."""

    @property
    def input_spec(self) -> Any:
        """What Keras checks of the inputs."""
        spec = super().input_spec
        spec.ndim = self.rank + 2
        return spec

    @input_spec.setter
    def input_spec(self, spec: Any) -> None:
        keras.layers.Layer.input_spec.fset(self, spec)


class MaskedConvolution(OneBatchAxis, keras.layers.Conv1D):
    """A `Conv1D` with stride 1 that reads padding as zeros.

    Args:
        filters: size of the output vectors.
        kernel_size: number of positions that an output depends on.
        padding: `"same"` or `"valid"`, which the subclass passes.
        **kwargs: other arguments of `keras.layers.Conv1D`.

    Raises:
        ValueError: if `filters` or `kernel_size` is not a positive integer, or
            `dilation_rate` is not 1 with `"valid"`.
    """

    def __init__(
        self, filters: int, kernel_size: int, padding: str, **kwargs: Any
    ):
        # In a configuration of Keras, `kernel_size` is a list of one integer.
        width = kernel_size
        if isinstance(kernel_size, list | tuple) and len(kernel_size) == 1:
            (width,) = kernel_size
        check_positive(filters=filters, kernel_size=width)
        super().__init__(
            filters,
            width,
            strides=1,
            padding=padding,
            data_format="channels_last",
            **kwargs,
        )
        if padding == "valid" and self.dilation_rate != (1,):
            raise ValueError(
                f"`dilation_rate` must be 1 in a {type(self).__name__}. "
                f"Received: dilation_rate={self.dilation_rate}"
            )
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Convolves over the axis of positions."""
        return super().call(without_padding(inputs, mask))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        config = super().get_config()
        for name in ("padding", "data_format", "strides"):
            del config[name]
        return config
