"""The largest value of each feature in neighbouring windows of a text."""

import functools
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.sequences import any_word


@keras.saving.register_keras_serializable(package="keras_qa")
class MaxOverWindows(ConfiguredLayer):
    """Takes each feature's maximum in every window of `pool_size` positions.

        z_i = max(x_{2i - 1}, x_{2i})

    with the default `pool_size` of 2: windows do not overlap, and the last may
    have fewer positions. Only positions that the mask marks as words count, so
    that padding after a text changes nothing. A window without words is 0, and
    the output mask is false there.

    Args:
        pool_size: number of positions in a window.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, ceil(length / pool_size), dim)`, with a mask.

    Raises:
        ValueError: if `pool_size` is not a positive integer.

    Example:
        >>> words = keras.ops.array([[[-3.0], [-2.0], [-1.0]]])
        >>> MaxOverWindows()(words)
        [[[-2.], [-1.]]]

    Reference: Hu et al., 2014, "Convolutional Neural Network Architectures for
    Matching Natural Language Sentences", section 2, equation 3.
    """

    input_spec = keras.layers.InputSpec(ndim=3)

    def __init__(self, pool_size: int = 2, **kwargs: Any):
        super().__init__(**kwargs)
        check_positive(pool_size=pool_size)
        self.pool_size = pool_size
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Takes the maximum in each window."""
        lowest = ops.cast(-float("inf"), inputs.dtype)
        if mask is None:
            mask = ops.ones_like(inputs[:, :, 0], dtype="bool")
        real = ops.cast(mask, "bool")[:, :, None]
        # Where no position of a window is a word, `lowest` is the maximum.
        parts = self._parts(ops.where(real, inputs, lowest), lowest)
        largest = functools.reduce(ops.maximum, parts)
        largest = ops.cast(largest, inputs.dtype)
        return ops.where(self._filled(mask)[:, :, None], largest, 0)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """True at the windows with a word, or None without a mask."""
        return None if previous_mask is None else self._filled(previous_mask)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, ceil(length / pool_size), dim)`."""
        batch_size, length, dim = input_shape
        count = None if length is None else -(-length // self.pool_size)
        return (batch_size, count, dim)

    def _filled(self, mask: Any) -> Any:
        """True at the windows with a word, `(batch_size, windows)`."""
        words = ops.cast(mask, "int32")[:, :, None]
        return any_word(self._parts(words, 0))[:, :, 0]

    def _parts(self, x: Any, fill: Any) -> list[Any]:
        """The first, second, ... element of every window."""
        beyond = self.pool_size - 1
        x = ops.pad(x, ((0, 0), (0, beyond), (0, 0)), constant_values=fill)
        return [
            x[:, i : (i - beyond) or None : self.pool_size]
            for i in range(self.pool_size)
        ]
