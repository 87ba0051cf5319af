"""A strict reader of the project's own JSON and TOML files.

A type describes the content of a file: built-in types and their unions,
`Literal`, `list`, `tuple` and `dict` of types, dataclasses and `TypedDict`s. An
object of a dataclass must have exactly its fields, except that fields with a
default may be missing, and the dataclass may reject values by a ValueError in
its `__post_init__`. An object of a `TypedDict` may have additional keys.

    >>> @dataclass(frozen=True)
    ... class Settings:
    ...     shard_size: int
    ...     tokenizer: str = "word"
    >>> read_json(path, Settings, SearchError)
    Settings(shard_size=4096, tokenizer='word')

Every error names the file, the place in it, and the expected and found values.
"""

import json
import sys
import tomllib
import types
from dataclasses import MISSING
from dataclasses import fields
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any
from typing import Literal
from typing import Union
from typing import get_args
from typing import get_origin
from typing import get_type_hints
from typing import is_typeddict

from keras_qa.files.text_files import shorten

_MOST = 2**63
_BUILT_IN = frozenset((bool, float, int, str))


def read_json(
    path: Path | str,
    kind: Any,
    error: type[Exception],
    expected: str = "a JSON file",
) -> Any:
    """Reads a JSON file and checks the type of its content.

    Args:
        path: the file.
        kind: the type; see the module.
        error: raised if the file cannot be read, is not JSON or of another
            type.
        expected: describes the expected file in the message about one that
            cannot be read or is not JSON.

    Returns:
        The content; see `typed`.
    """
    try:
        content = json.loads(Path(path).read_text("utf-8"))
    # Too deeply nested JSON raises a RecursionError.
    except (OSError, ValueError, RecursionError) as reason:
        raise error(
            f"{path}: expected {expected}. Received: {reason!s:.300}"
        ) from reason
    return typed(content, kind, str(path), error)


def read_toml(path: Path | str, kind: Any, error: type[Exception]) -> Any:
    """Reads a TOML file and checks the type of its content.

    Args:
        path: the file.
        kind: the type; see the module.
        error: raised if the file is not TOML, or of another type.

    Returns:
        The content; see `typed`.

    Raises:
        OSError: if the file cannot be read.
    """
    try:
        content = tomllib.loads(Path(path).read_text("utf-8"))
    # Too deeply nested arrays raise a RecursionError.
    except (ValueError, RecursionError) as reason:
        raise error(
            f"{path}: expected TOML. Received: {shorten(str(reason))}"
        ) from None
    return typed(content, kind, str(path), error)


def parse_json(
    line: bytes | str, kind: Any, place: str, error: type[Exception]
) -> Any:
    """Parses a JSON text, such as a line of a file, and checks its type.

    Args:
        line: the text, UTF-8.
        kind: the type; see the module.
        place: the beginning of error messages, such as `runs.jsonl:12`.
        error: raised if the text is not JSON, or of another type.

    Returns:
        The content; see `typed`.
    """
    try:
        content = json.loads(line)
    # Too deeply nested JSON raises a RecursionError.
    except (ValueError, RecursionError):
        raise error(
            f"{place}: expected JSON. Received: {shorten(line)}"
        ) from None
    return typed(content, kind, place, error)


def typed(value: Any, kind: Any, place: str, error: type[Exception]) -> Any:
    """Converts a value of JSON or TOML to a type.

    Floats must be finite and integers fit 64 bits, strings must be encodable in
    UTF-8, and an integer is accepted as a float.

    Args:
        value: the value.
        kind: the type; see the module.
        place: the beginning of error messages, such as `settings.json`.
        error: raised if the value is of another type.

    Returns:
        The value, with lists converted to tuples and objects to instances of
        dataclasses where the type has these.
    """
    try:
        return _typed(value, kind, "")
    except _MisfitError as misfit:
        raise error(f"{place}: {misfit}") from None


def fits(value: Any, kind: Any) -> bool:
    """Returns True if a value of JSON or TOML is of a type; see `typed`.

    Example:
        >>> fits([1, 2.5], tuple[float, ...])
        True
        >>> fits(True, int)
        False
    """
    try:
        _typed(value, kind, "")
    except _MisfitError:
        return False
    return True


def kind_name(kind: Any) -> str:
    """The name of a type in error messages."""
    if isinstance(kind, type) and not get_args(kind):
        return kind.__name__
    return str(kind).replace("typing.", "")


class _MisfitError(Exception):
    """The error for a value that is not of its type, without the file."""


def _typed(value: Any, kind: Any, where: str) -> Any:
    """The converted value; `where` is its place, empty for the root."""
    if kind is Any:
        return value
    # Most values: to take a type apart takes longer than to check them.
    if kind in _BUILT_IN and _plain(value, kind):
        return value
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(value, kind, where)
    if origin is Literal:
        # Types are compared, because 1 == True == 1.0.
        if not any(type(value) is type(o) and value == o for o in inner):
            raise _other(value, kind, where)
        return value
    if origin is dict:
        if not isinstance(value, dict):
            raise _other(value, kind, where)
        return {
            _typed(name, inner[0], where): _typed(
                one, inner[1], _inside(where, name)
            )
            for name, one in value.items()
        }
    if origin in (list, tuple):
        return _sequence(value, kind, where)
    if is_typeddict(kind) or is_dataclass(kind):
        return _object(value, kind, where)
    if not _plain(value, kind):
        raise _other(value, kind, where)
    return value


def _one_of(value: Any, kind: Any, where: str) -> Any:
    kinds = get_args(kind)
    for one in kinds:
        if fits(value, one):
            return _typed(value, one, where)
    if value is not None and len(kinds) == 2 and types.NoneType in kinds:
        # Raises an error that names the wrong part of the value.
        return _typed(value, kinds[kinds[0] is types.NoneType], where)
    raise _other(value, kind, where)


def _sequence(value: Any, kind: Any, where: str) -> Any:
    if not isinstance(value, list):
        raise _other(value, kind, where)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is list or inner[-1] is Ellipsis:
        inner = (inner[0],) * len(value)
    if len(inner) != len(value):
        raise _other(value, kind, where)
    return origin(
        _typed(one, inside, f"{where}[{number}]")
        for number, (one, inside) in enumerate(zip(value, inner, strict=True))
    )


def _object(value: Any, kind: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise _other(value, dict, where)
    kinds, required = _members(kind)
    missing = [name for name in required if name not in value]
    unknown = [name for name in value if name not in kinds]
    if is_typeddict(kind):
        unknown = []
    if missing or unknown:
        found = f"no {', '.join(missing)}" if missing else shorten(unknown[0])
        of = f"`{where}` with " if where else ""
        names = kinds if unknown and not missing else required
        raise _MisfitError(
            f"expected {of}{', '.join(names)}. Received: {found}"
        )
    members = {
        name: _typed(value[name], kinds[name], _inside(where, name))
        for name in kinds
        if name in value
    }
    if is_typeddict(kind):
        return {**value, **members}
    try:
        return kind(**members)
    except ValueError as reason:
        raise _MisfitError(f"{where}: {reason}" if where else reason) from None


@cache
def _members(kind: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The types of an object's members, and the names of the required ones."""
    kinds = get_type_hints(kind)
    if is_typeddict(kind):
        required = [n for n in kinds if n in kind.__required_keys__]
    else:
        stored = [f for f in fields(kind) if f.init]
        kinds = {field.name: kinds[field.name] for field in stored}
        required = [
            f.name
            for f in stored
            if f.default is MISSING and f.default_factory is MISSING
        ]
    return kinds, tuple(required)


def _plain(value: Any, kind: Any) -> bool:
    if kind is float and type(value) in (int, float):
        # This form of the comparison rejects NaN.
        return abs(value) <= sys.float_info.max
    if isinstance(value, int) and abs(value) >= _MOST:
        return False
    if isinstance(value, str) and not _is_text(value):
        return False
    return kind is type(value) or (kind is None and value is None)


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _inside(where: str, name: Any) -> str:
    """The place of a member of the object at `where`."""
    name = str(name)[:80].encode("utf-8", "backslashreplace").decode()
    return f"{where}.{name}" if where else name


def _other(value: Any, kind: Any, where: str) -> _MisfitError:
    if where:
        expected = f"`{where}` must be of type {kind_name(kind)}"
    elif (get_origin(kind) or kind) is dict:
        expected = "expected a JSON object"
    else:
        expected = f"expected a value of type {kind_name(kind)}"
    return _MisfitError(f"{expected}. Received: {shorten(value)}")
