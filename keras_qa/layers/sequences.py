"""Sequences of words and padding: masks, lengths, and steps that are words."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import keras
from keras import ops


def mask_of(sequence: Any, mask: Any = None) -> Any:
    """Returns the mask of a sequence as bools, all true without one.

    Args:
        sequence: tensor `(batch_size, length, ...)`.
        mask: tensor `(batch_size, length)`, true at words, or None.

    Returns:
        Bool tensor `(batch_size, length)`.
    """
    if mask is None:
        return ops.ones(ops.shape(sequence)[:2], dtype="bool")
    return ops.cast(mask, "bool")


def as_indices(name: str, indices: Any) -> Any:
    """Returns integers of any width as int32, by which all backends look up.

    Args:
        name: how an error calls them.
        indices: integer tensor, such as word ids.

    Returns:
        Int32 tensor of the same shape.

    Raises:
        ValueError: if they are no integers; under half precision large ones
            would lose digits.
    """
    dtype = keras.backend.standardize_dtype(indices.dtype)
    if "int" not in dtype:
        raise ValueError(
            f"`{name}` must be integers, as of "
            f'`keras.Input(shape, dtype="int32")`. Received: dtype={dtype}'
        )
    return ops.cast(indices, "int32")


def without_padding(sequence: Any, mask: Any = None) -> Any:
    """Sets a sequence to 0 at padding.

    Args:
        sequence: tensor `(batch_size, length, dim)`.
        mask: tensor `(batch_size, length)`, true at words; None if all
            positions are words.

    Returns:
        Tensor of the same shape and dtype; `sequence` itself without a mask.
    """
    if mask is None:
        return sequence
    words = ops.cast(mask, "bool")[:, :, None]
    return ops.where(words, sequence, ops.zeros_like(sequence))


def weighted_sum(weights: Any, sequence: Any) -> Any:
    """Sums a sequence over its positions.

    Args:
        weights: float tensor `(batch_size, length)`.
        sequence: float tensor `(batch_size, length, dim)`.

    Returns:
        Float tensor `(batch_size, dim)`, of the dtype of the sequence.
    """
    # (batch_size, 1, length) by (batch_size, length, dim)
    total = ops.squeeze(ops.matmul(weights[:, None, :], sequence), axis=1)
    return ops.cast(total, sequence.dtype)


def in_windows(x: Any, size: int) -> list[Any]:
    """The first, second, ... element of all windows of neighbours.

    Args:
        x: tensor `(batch_size, length, ...)`.
        size: number of positions in a window.

    Returns:
        `size` tensors `(batch_size, length - size + 1, ...)`.
    """
    beyond = size - 1
    return [x[:, i : (i - beyond) or None] for i in range(size)]


def any_word(parts: Sequence[Any]) -> Any:
    """True where one of several masks is 1.

    Not their sum: of one text alone, Keras makes an operation of it that
    TensorFlow Lite has for floats only.

    Args:
        parts: integer tensors of one shape, 1 at words and 0 elsewhere.
    """
    return reduce(ops.maximum, parts) > 0


def all_words(parts: Sequence[Any]) -> Any:
    """True where all of several masks are 1; see `any_word`."""
    return reduce(ops.minimum, parts) > 0


def narrow_windows(sequence: Any, mask: Any, size: int) -> Any:
    """Marks the windows of neighbouring words that lie within a text.

    Args:
        sequence: tensor `(batch_size, length, dim)`.
        mask: tensor `(batch_size, length)`, true at words; None if all
            positions are words.
        size: number of words in a window.

    Returns:
        Bool tensor `(batch_size, length)`, true at the first word of each
        window whose positions are all words; in a text without such windows,
        at its first word.
    """
    if mask is None:
        mask = ops.ones_like(sequence[:, :, 0], dtype="bool")
    words = ops.cast(mask, "int32")
    after = ops.pad(words, ((0, 0), (0, size - 1)))
    whole = all_words(in_windows(after, size))
    first = ops.equal(words * ops.cumsum(words, axis=1), 1)
    return ops.where(ops.any(whole, axis=1, keepdims=True), whole, first)


def masked_softmax(x: Any, mask: Any = None) -> Any:
    """Softmax over the true positions, exactly 0 elsewhere.

    Args:
        x: float tensor `(..., length)`.
        mask: bool tensor that broadcasts to `x`, or None if all positions
            count.

    Returns:
        Float tensor `(..., length)`; all 0 in rows without a true position.
    """
    if mask is None:
        return ops.softmax(x, axis=-1)
    mask = ops.cast(mask, "bool")
    x = ops.where(mask, x, -1e30)
    x = x - ops.stop_gradient(ops.max(x, axis=-1, keepdims=True))
    exponentials = ops.where(mask, ops.exp(x), 0.0)
    total = ops.sum(exponentials, axis=-1, keepdims=True)
    # The largest term is 1, so the bound affects texts without words only.
    return exponentials / ops.maximum(total, 0.5)


def cut_or_pad(sequence: Any, length: Any) -> Any:
    """Cuts each sequence to a length, or pads it with zeros.

    Args:
        sequence: float tensor `(batch_size, old_length, ...)`.
        length: number of steps, an integer or an integer scalar.

    Returns:
        Float tensor `(batch_size, length, ...)`.
    """
    shape = ops.shape(sequence)
    zeros = ops.zeros((shape[0], length, *shape[2:]), dtype=sequence.dtype)
    return ops.concatenate([sequence, zeros], axis=1)[:, :length]


class RealSteps:
    """The steps of each text that are no padding.

    Args:
        mask: bool tensor `(length, batch_size)`, false on padding.

    Attributes:
        ranks: int32 `(length, batch_size)`, the number of real steps before
            each step.
        places: int32 `(length, batch_size)`, the positions of the real steps,
            in order, then those of the padding.
        counts: int32 `(1, batch_size)`, the numbers of real steps.
    """

    def __init__(self, mask: Any):
        real = ops.cast(mask, "int32")
        length = ops.shape(mask)[0]
        positions = ops.arange(length, dtype="int32")[:, None]
        self.counts = ops.sum(real, axis=0, keepdims=True)
        self.ranks = ops.cumsum(real, axis=0) - real
        self.places = ops.cast(
            ops.argsort(ops.where(mask, positions, positions + length), axis=0),
            "int32",
        )

    def places_before(self, ranks: Any, offset: int, window: int) -> Any:
        """Returns where the real step `offset` real steps before another is.

        Args:
            ranks: int32 `(n, batch_size)`, the number of real steps before that
                other step.
            offset: a number of real steps, at most `window`.
            window: number of inputs prepended to the text.

        Returns:
            int32 `(n, batch_size)`, positions in the inputs, with the prepended
            ones.
        """
        batch_size = ops.shape(ranks)[1]
        before = ops.broadcast_to(
            ops.arange(window, dtype="int32")[:, None], (window, batch_size)
        )
        places = ops.concatenate([before, self.places + window], axis=0)
        # A rank of `length` would be out of range at the offset 0.
        ranks = ops.minimum(ranks + (window - offset), ops.shape(places)[0] - 1)
        return ops.take_along_axis(places, ranks, axis=0)


def take_steps(sequence: Any, steps: Any) -> Any:
    """Takes steps of each sequence.

    Args:
        sequence: tensor `(length, batch_size, units)`.
        steps: int32 tensor `(n, batch_size)`, positions in each sequence.

    Returns:
        Tensor `(n, batch_size, units)`.
    """
    _, batch_size, units = ops.shape(sequence)
    rows = ops.reshape(sequence, (-1, units))
    texts = ops.arange(batch_size, dtype="int32")
    return ops.take(rows, steps * batch_size + texts, axis=0)


def time_major(x: Any) -> Any:
    """Swaps the axes of batch and time."""
    return ops.swapaxes(x, 0, 1)
