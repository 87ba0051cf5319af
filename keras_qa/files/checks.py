"""Whether what a file holds is of the types that annotations spell."""

import sys
import tomllib
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import get_args
from typing import get_origin

from keras_qa.files.text_files import shorten

_MOST = 2**63


def read_toml(path: Path | str, error: type[ValueError]) -> dict[str, Any]:
    """Reads a TOML file.

    Args:
        path: the file.
        error: what is raised if it is none.
    """
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    # The last is of arrays that are nested too deep.
    except (ValueError, RecursionError) as reason:
        raise error(
            f"{path}: expected TOML. Received: {shorten(str(reason))}"
        ) from None


def fits(value: object, kind: Any) -> bool:
    """Whether a value of JSON or TOML is of a type.

    Lists stand for tuples, too. Numbers are finite and of at most 64 bits,
    integers stand for floats, too, and texts are such as UTF-8 can hold.

    Args:
        value: the value.
        kind: the type, such as `str` or `dict[str, float] | None`.

    Example:
        >>> fits([1, 2.5], tuple[float, ...])
        True
        >>> fits(True, int)
        False
    """
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin is types.UnionType:
        return any(fits(value, one) for one in inner)
    if origin is dict:
        return isinstance(value, dict) and all(
            fits(name, inner[0]) and fits(one, inner[1])
            for name, one in value.items()
        )
    if origin in (list, tuple):
        if not isinstance(value, list):
            return False
        kinds = [inner[0]] * len(value)
        if origin is tuple and inner[-1] is not Ellipsis:
            kinds = list(inner)
        return len(kinds) == len(value) and all(map(fits, value, kinds))
    if kind is float and type(value) in (int, float):
        # Written so that NaN fails.
        return abs(value) <= sys.float_info.max  # type: ignore[arg-type]
    if isinstance(value, int) and abs(value) >= _MOST:
        return False
    if isinstance(value, str) and not _is_text(value):
        return False
    return type(value) is kind


def misfit(values: Mapping[str, Any], kinds: Mapping[str, Any]) -> str | None:
    """The name of a value that is of another type than it should be.

    Args:
        values: the values; those without a type are passed over.
        kinds: the types, by the names of values.

    Returns:
        The first such name; None if all values are as they should be.
    """
    for name, kind in kinds.items():
        if name in values and not fits(values[name], kind):
            return name
    return None


def kind_name(kind: Any) -> str:
    """A type as a message has it."""
    return kind.__name__ if isinstance(kind, type) else str(kind)


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
