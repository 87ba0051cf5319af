"""Steps of texts that are no padding, wherever padding stands."""

from typing import Any

from keras import ops


class RealSteps:
    """Which steps of each text are no padding.

    Args:
        mask: bool tensor `(length, batch_size)`, false on padding.

    Attributes:
        ranks: int32 `(length, batch_size)`, the number of real steps before
            each step.
        places: int32 `(length, batch_size)`, where the real steps are, in
            their order; those of the padding follow.
        counts: int32 `(1, batch_size)`, numbers of real steps.
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
        """Where the real step stands that is `offset` before another.

        Args:
            ranks: int32 `(n, batch_size)`, the number of real steps before the
                other.
            offset: a number of real steps.
            window: number of inputs that stand before the text.

        Returns:
            int32 `(n, batch_size)`, into the inputs with those before them.
        """
        batch_size = ops.shape(ranks)[1]
        before = ops.broadcast_to(
            ops.arange(window, dtype="int32")[:, None], (window, batch_size)
        )
        places = ops.concatenate([before, self.places + window], axis=0)
        # Padding after the last real step has a rank of its own, out of range.
        ranks = ops.minimum(ranks + (window - offset), ops.shape(places)[0] - 1)
        return ops.take_along_axis(places, ranks, axis=0)


def take_steps(sequence: Any, steps: Any) -> Any:
    """Steps of each sequence.

    Args:
        sequence: tensor `(length, batch_size, units)`.
        steps: int32 tensor `(n, batch_size)`.

    Returns:
        Tensor `(n, batch_size, units)`.
    """
    _, batch_size, units = ops.shape(sequence)
    rows = ops.reshape(sequence, (-1, units))
    texts = ops.arange(batch_size, dtype="int32")
    return ops.take(rows, steps * batch_size + texts, axis=0)


def time_major(x: Any) -> Any:
    """Swaps the axes of the batch and of the time."""
    return ops.swapaxes(x, 0, 1)
