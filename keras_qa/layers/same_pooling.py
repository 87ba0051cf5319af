"""Pooling of neighbouring positions of a text that keeps its length."""

from functools import reduce
from operator import add
from typing import Any

from keras import ops

POOLINGS = ("max", "avg", None)


def check_pooling(pooling: str | None) -> None:
    """Refuses a pooling that there is not.

    Raises:
        ValueError: if `pooling` is not one of `POOLINGS`.
    """
    if pooling not in POOLINGS:
        raise ValueError(
            f"`pooling` must be one of {POOLINGS}. Received: "
            f"pooling={pooling!r}"
        )


def same_pooling(
    x: Any, mask: Any = None, size: int = 2, pooling: str | None = "max"
) -> Any:
    """Pools each window of positions, with stride 1 and padding "same".

    Window i has the positions from `i - (size - 1) // 2` to `i + size // 2`,
    as TensorFlow places it. What lies beyond the ends of the text and what
    the mask marks as padding neither wins a maximum nor counts in a mean.

    Args:
        x: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; None if all
            positions are words.
        size: number of positions of a window.
        pooling: `"max"`, `"avg"`, or None for no pooling at all.

    Returns:
        Float tensor of the shape and dtype of `x`, 0 at padding.
    """
    if mask is None:
        mask = ops.ones(ops.shape(x)[:2], dtype="bool")
    words = ops.cast(mask, "bool")[:, :, None]
    if pooling == "max":
        x = ops.where(words, x, ops.cast(-float("inf"), x.dtype))
        x = reduce(ops.maximum, _windows(x, size, -float("inf")))
    elif pooling == "avg":
        x = reduce(add, _windows(ops.where(words, x, 0), size, 0))
        counted = reduce(add, _windows(ops.cast(words, x.dtype), size, 0))
        # Only windows of padding alone have none.
        x = x / ops.maximum(counted, 1)
    return ops.where(words, x, ops.zeros_like(x))


def _windows(x: Any, size: int, fill: float) -> list[Any]:
    """The first positions of all windows, their second ones, and so on."""
    before = (size - 1) // 2
    padded = ops.pad(
        x, ((0, 0), (before, size - 1 - before), (0, 0)), constant_values=fill
    )
    length = ops.shape(x)[1]
    # The one without a shift needs no copy.
    return [
        x if i == before else padded[:, i : i + length] for i in range(size)
    ]
