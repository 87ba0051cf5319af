"""Checks of arguments, and hints about unknown names."""

import difflib
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sized
from numbers import Integral
from typing import Any

MOST_SEED = 2**32 - 1
"""The largest seed that NumPy and Keras take."""


def check_choice(
    name: str,
    value: Any,
    choices: Collection[Any],
    *,
    note: str = "",
    error: type[Exception] = ValueError,
) -> None:
    """Checks that a value is one of the known ones.

    Args:
        name: name of the argument, as the message quotes it.
        value: the value of the argument.
        choices: the known values, as the message lists them: a tuple or a
            list, `tuple(dict)` for the keys of a dict.
        note: follows the list in the message, such as `" or a layer"`.
        error: class of the error.

    Raises:
        ValueError: if `value` is none of `choices`; `error` in its place if
            given.
    """
    if value not in choices:
        raise error(
            f"`{name}` must be one of {choices}{note}. "
            f"Received: {name}={value!r}"
        )


def check_collection(name: str, value: Any) -> None:
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


def check_positive(**sizes: Any) -> None:
    """Checks that sizes are positive integers.

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


def check_above_zero(**numbers: Any) -> None:
    """Checks that numbers are above 0.

    Args:
        **numbers: the arguments by name; NaN and None are not above 0.

    Raises:
        ValueError: naming the first number that is not.
    """
    for name, number in numbers.items():
        try:
            above = number > 0
        except TypeError:
            above = False
        if not above:
            raise ValueError(
                f"`{name}` must be positive. Received: {name}={number!r}"
            )


def check_equally_many(
    error: type[Exception] = ValueError, **lists: Sized
) -> None:
    """Checks that lists have the same length.

    Args:
        error: class of the error.
        **lists: the arguments by name.

    Raises:
        ValueError: if they have not; `error` in its place if given.
    """
    if len({len(values) for values in lists.values()}) > 1:
        names = " and ".join(f"`{name}`" for name in lists)
        counts = ", ".join(f"{len(v)} {name}" for name, v in lists.items())
        raise error(f"{names} must be equally many. Received: {counts}")


def check_positive_lists(**lists: Any) -> None:
    """Checks that values are lists or tuples of positive integers.

    Args:
        **lists: the arguments by name; a list may be empty.

    Raises:
        ValueError: naming the first argument that is anything else.
    """
    for name, sizes in lists.items():
        if not isinstance(sizes, list | tuple) or not all(map(_is_size, sizes)):
            raise ValueError(
                f"`{name}` must be a list of positive integers. "
                f"Received: {name}={sizes!r}"
            )


def check_positive_or_none(**sizes: Any) -> None:
    """Checks that sizes are positive integers or None.

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
    """Checks that counts are integers of at least 0.

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
    """Returns a hint for an error about an unknown name.

    Args:
        name: the unknown name.
        known: the names that exist.

    Returns:
        A question that begins with a space and names the most similar known
        name; an empty string if none is similar.
    """
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean `{near[0]}`?" if near else ""


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_size(value: Any) -> bool:
    return _is_integer(value) and value > 0
