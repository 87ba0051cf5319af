"""Texts as lists of words."""

from collections.abc import Sequence

Text = tuple[str, ...]


def check_collection(name: str, value: Sequence) -> None:
    """Checks that a list was given where a string would be read by letters.

    Args:
        name: the argument.
        value: its value.

    Raises:
        ValueError: if it is a string.
    """
    if isinstance(value, str):
        raise ValueError(
            f"`{name}` must hold lists of words. "
            f"Received: the string {value[:60]!r}"
        )
