"""Sums of the vectors around each word."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.sequences import in_windows
from keras_qa.layers.sequences import without_padding


@keras.saving.register_keras_serializable(package="keras_qa")
class WindowSums(ConfiguredLayer):
    """A bag of words for the window around each word.

        y_i = x_{i - (w - 1) // 2} + ... + x_{i + w // 2}

    with w the `kernel_size`. Positions beyond the text and padding add nothing.
    Half-precision inputs are summed in float32.

    Args:
        kernel_size: number of words in a window.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, length, dim)`, with the mask.

    Raises:
        ValueError: if `kernel_size` is not a positive integer.

    Example:
        >>> WindowSums(3)(keras.ops.array([[[1.0], [2.0], [4.0]]]))
        [[[3.], [7.], [6.]]]

    Reference: Miller et al., 2016, "Key-Value Memory Networks for Directly
    Reading Documents", section 3.2.
    """

    input_spec = keras.layers.InputSpec(ndim=3)

    def __init__(self, kernel_size: int, **kwargs: Any):
        super().__init__(**kwargs)
        check_positive(kernel_size=kernel_size)
        self.supports_masking = True
        self.kernel_size = kernel_size

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Sums the windows."""
        x = ops.cast(inputs, self.precise)
        before, after = (self.kernel_size - 1) // 2, self.kernel_size // 2
        x = without_padding(x, mask)
        x = ops.pad(x, ((0, 0), (before, after), (0, 0)))
        sums = sum(in_windows(x, self.kernel_size))
        return ops.cast(sums, self.compute_dtype)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, length, dim)`."""
        return tuple(input_shape)
