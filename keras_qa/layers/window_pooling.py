"""Averages of the windows of a text, and of all its positions."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.sequences import all_words
from keras_qa.layers.sequences import in_windows
from keras_qa.layers.sequences import mask_of
from keras_qa.layers.sequences import without_padding


@keras.saving.register_keras_serializable(package="keras_qa")
class WindowPooling(PairLayer, ConfiguredLayer):
    """Averages a text over its windows (w-ap) and as a whole (all-ap).

    With the vectors x_k of a text of M positions, and weights a_k if given,

        p_j = (x_j + ... + x_j+w-1) / w              (w-ap)
        y = (x_1 + ... + x_M) / M                    (all-ap)
        p_j = a_j x_j + ... + a_j+w-1 x_j+w-1        (w-ap, weighted)
        y = a_1 x_1 + ... + a_M x_M                  (all-ap, weighted)

    After a `WideConvolution` with the same `kernel_size`, the w-ap has the
    positions of the words before the convolution. Padding is read as zeros,
    and the mask of the w-ap marks the windows without padding. A text of
    padding has the all-ap 0.

    Args:
        kernel_size: number of positions in a window (the paper's w).
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`, or a list of it and
            of its weights `(batch_size, length)`.
        mask: bool tensor `(batch_size, length)`, true at words, or a list of
            it and None. Without one, all positions are words.

    Output:
        List of the w-ap `(batch_size, length - kernel_size + 1, dim)`, with its
        mask, and of the all-ap `(batch_size, dim)`.

    Raises:
        ValueError: if `kernel_size` is not a positive integer, or the inputs
            have other axes.

    Example:
        >>> text = keras.ops.ones((1, 4, 3))
        >>> [pooled.shape for pooled in WindowPooling(2)(text)]
        [(1, 3, 3), (1, 3)]

    Reference: Yin et al., 2016, "ABCNN: Attention-Based Convolutional Neural
    Network for Modeling Sentence Pairs", sections 3 and 4.
    """

    parts = {
        "sequence": ("batch_size", "length", "dim"),
        "weights": ("batch_size", "length"),
    }
    optional = ("weights",)
    alone = True

    def __init__(self, kernel_size: int, **kwargs: Any):
        super().__init__(**kwargs)
        check_positive(kernel_size=kernel_size)
        self.kernel_size = kernel_size
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> list[Any]:
        """Pools over the axis of positions."""
        x, weights, mask = _parts(inputs, mask)
        x = without_padding(x, mask)
        if weights is not None:
            x = x * ops.cast(weights, x.dtype)[:, :, None]
            return [self._sums(x), ops.sum(x, axis=1)]
        words = ops.cast(mask_of(x, mask), x.dtype)
        count = ops.maximum(ops.sum(words, axis=1, keepdims=True), 1)
        return [self._sums(x) / self.kernel_size, ops.sum(x, axis=1) / count]

    def _sums(self, x: Any) -> Any:
        """The sums of all windows."""
        return sum(in_windows(x, self.kernel_size))

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> list[Any]:
        """True at the windows without padding; None for the all-ap."""
        _, _, mask = _parts(inputs, previous_mask)
        if mask is None:
            return [None, None]
        words = in_windows(ops.cast(mask, "int32"), self.kernel_size)
        return [all_words(words), None]

    def compute_output_shape(self, input_shape: Any) -> list[tuple]:
        """Shapes of the w-ap and of the all-ap."""
        weighted = isinstance(input_shape[0], list | tuple)
        batch_size, length, dim = input_shape[0] if weighted else input_shape
        if length is not None:
            length = max(0, length - self.kernel_size + 1)
        return [(batch_size, length, dim), (batch_size, dim)]


def _parts(inputs: Any, mask: Any) -> tuple[Any, Any, Any]:
    """A text's vectors, its weights or None, and its mask or None."""
    if not isinstance(inputs, list | tuple):
        return inputs, None, mask
    x, *given = inputs
    weights = given[0] if given else None
    return x, weights, None if mask is None else mask[0]
