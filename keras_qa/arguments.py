"""Checks of arguments: one of the known values, or an integer of a size."""

import difflib
from collections.abc import Collection
from collections.abc import Iterable
from numbers import Integral
from typing import Any


def check_choice(
    name: str,
    value: Any,
    choices: Collection[Any],
    *,
    note: str = "",
    error: type[Exception] = ValueError,
) -> None:
    """Refuses a value that is not among the known ones.

    Args:
        name: name of the argument, as the message quotes it.
        value: what was given.
        choices: the known values, as the message lists them: a tuple or a
            list; of a dict pass `tuple(dict)`.
        note: follows the list in the message, such as `" or a layer"`.
        error: class of the error.

    Raises:
        ValueError: if `value` is none of `choices`; of the class `error` if
            there is one.
    """
    if value not in choices:
        raise error(
            f"`{name}` must be one of {choices}{note}. "
            f"Received: {name}={value!r}"
        )


def check_positive(**sizes: Any) -> None:
    """Refuses sizes that are not integers, or below 1.

    Args:
        **sizes: the arguments by name; NumPy's integers are accepted, `True`
            and 2.0 are not.

    Raises:
        ValueError: naming the first size that is not a positive integer.
    """
    for name, size in sizes.items():
        if not _is_size(size):
            raise ValueError(
                f"`{name}` must be a positive integer. "
                f"Received: {name}={size!r}"
            )


def check_positive_lists(**lists: Any) -> None:
    """Refuses anything but lists and tuples of positive integers.

    Args:
        **lists: the arguments by name; they may be empty.

    Raises:
        ValueError: naming the first argument that is something else.
    """
    for name, sizes in lists.items():
        if not isinstance(sizes, list | tuple) or not all(map(_is_size, sizes)):
            raise ValueError(
                f"`{name}` must be a list of positive integers. "
                f"Received: {name}={sizes!r}"
            )


def check_positive_or_none(**sizes: Any) -> None:
    """Refuses sizes that are neither None nor positive integers.

    Args:
        **sizes: the arguments by name.

    Raises:
        ValueError: naming the first argument that is neither.
    """
    for name, size in sizes.items():
        if size is not None and not _is_size(size):
            raise ValueError(
                f"`{name}` must be a positive integer or None. "
                f"Received: {name}={size!r}"
            )


def check_not_negative(**counts: Any) -> None:
    """Refuses counts that are not integers, or below 0.

    Args:
        **counts: the arguments by name.

    Raises:
        ValueError: naming the first count that is not an integer of at least 0.
    """
    for name, count in counts.items():
        if not _is_integer(count) or count < 0:
            raise ValueError(
                f"`{name}` must not be negative, and an integer. "
                f"Received: {name}={count!r}"
            )


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The hint that an error about an unknown name carries.

    Args:
        name: the unknown name.
        known: the names that exist.

    Returns:
        A sentence that begins with a space and suggests the nearest known
        name; an empty text if none is near.
    """
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean `{near[0]}`?" if near else ""


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_size(value: Any) -> bool:
    return _is_integer(value) and value > 0
