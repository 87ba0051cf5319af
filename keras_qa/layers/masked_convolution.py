"""The base of the convolutions to which padding is zero."""

from typing import Any

import keras

from keras_qa.arguments import check_positive
from keras_qa.layers.sequences import without_padding


class MaskedConvolution(keras.layers.Conv1D):
    """A `Conv1D` with stride 1 that sees zeros at padding.

    Args:
        filters: size of the output vectors.
        kernel_size: number of positions that an output sees.
        padding: `"same"` or `"valid"`, as a subclass fixes it.
        **kwargs: other arguments of `keras.layers.Conv1D`.

    Raises:
        ValueError: if `filters` or `kernel_size` is not a positive integer.
    """

    def __init__(
        self, filters: int, kernel_size: int, padding: str, **kwargs: Any
    ):
        # Keras's configuration has a kernel size for each axis.
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
