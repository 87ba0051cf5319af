"""The check of what layers of two texts take."""

from typing import Any


def two_sequences(shapes: Any) -> Any:
    """The shapes of a question and an answer, checked.

    Args:
        shapes: the shapes of a layer's inputs.

    Returns:
        `shapes`.

    Raises:
        ValueError: if they are not two of three axes each.
    """
    if len(shapes) != 2 or any(
        not isinstance(shape, tuple | list) or len(shape) != 3
        for shape in shapes
    ):
        raise ValueError(
            "`inputs` must be a list [question, answer] of tensors "
            f"(batch_size, length, dim). Received: shapes={shapes}"
        )
    return shapes
