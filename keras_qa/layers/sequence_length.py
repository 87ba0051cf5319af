"""Sequences cut or padded to the length of another."""

from typing import Any

from keras import ops


def cut_or_pad(sequence: Any, length: Any) -> Any:
    """The first steps of each sequence, and zeros after its last one.

    Args:
        sequence: float tensor `(batch_size, old_length, ...)`.
        length: number of steps, an integer or an integer scalar.

    Returns:
        Float tensor `(batch_size, length, ...)`.
    """
    shape = ops.shape(sequence)
    zeros = ops.zeros((shape[0], length, *shape[2:]), dtype=sequence.dtype)
    return ops.concatenate([sequence, zeros], axis=1)[:, :length]
