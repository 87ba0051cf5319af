"""Texts as sequences of words."""

from collections.abc import Sequence

Text = tuple[str, ...]


def check_collection(name: str, value: Sequence) -> None:
    """Checks that an argument is not a string, a sequence of letters.

    Args:
        name: name of the argument.
        value: value of the argument.

    Raises:
        ValueError: if `value` is a string.
    """
    if isinstance(value, str):
        raise ValueError(
            f"`{name}` must hold lists of words. "
            f"Received: the string {value[:60]!r}"
        )
