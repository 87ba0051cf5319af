"""Well-formed files with random values, made by hypothesis."""

import copy
import json
import pickle
import tomllib
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Case = dict[str, bytes]
Cases = st.SearchStrategy[Case]

_NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([2**31, 2**63, -(2**63), 10**30, 10**18, 1 << 20]),
    st.floats(),
)
_TEXTS = st.one_of(
    st.text(max_size=5),
    st.sampled_from(["", " ", "a b", "\ud800", "\u2028", "\0", "nan", "0"]),
)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), _NUMBERS, _TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(_TEXTS, inner, max_size=3),
    ),
    max_leaves=5,
)


def json_file(name: str) -> Callable[[Case], Cases]:
    """Replaces random parts of a file's JSON value."""

    def strategy(case: Case) -> Cases:
        original = json.loads(case[name])
        return _edited(original).map(lambda value: case | {name: _dumps(value)})

    return strategy


def json_lines(name: str) -> Callable[[Case], Cases]:
    """Replaces random parts of a file with a JSON value in each line."""

    def strategy(case: Case) -> Cases:
        original = [json.loads(line) for line in case[name].splitlines()]
        return _edited(original).map(
            lambda value: (
                case
                | {
                    name: b"\n".join(
                        map(_dumps, value if isinstance(value, list) else [])
                    )
                }
            )
        )

    return strategy


def toml_file(name: str) -> Callable[[Case], Cases]:
    """Replaces random parts of a TOML file."""

    def strategy(case: Case) -> Cases:
        original = tomllib.loads(case[name].decode())
        return _edited(original).map(
            lambda value: case | {name: _toml(value).encode()}
        )

    def _toml(value: Any) -> str:
        members = value.items() if isinstance(value, dict) else [("x", value)]
        return "".join(f"{_inline(k)} = {_inline(v)}\n" for k, v in members)

    return strategy


def _inline(value: Any) -> str:
    """A value as inline TOML, except null, which TOML does not have."""
    if isinstance(value, dict):
        members = (f"{_inline(k)} = {_inline(v)}" for k, v in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value)


def pickled(name: str) -> Callable[[Case], Cases]:
    """Replaces random parts of a pickle of plain values."""

    def strategy(case: Case) -> Cases:
        original = pickle.loads(case[name])
        return st.builds(
            lambda value, protocol: (
                case | {name: pickle.dumps(value, protocol)}
            ),
            _edited(original),
            st.integers(0, 5),
        )

    return strategy


def table(name: str, delimiter: str) -> Callable[[Case], Cases]:
    """Replaces, repeats or deletes random rows or fields of a table."""

    def strategy(case: Case) -> Cases:
        rows = [
            line.split(delimiter) for line in case[name].decode().split("\n")
        ]
        return _edited(rows).map(lambda value: case | {name: _join(value)})

    def _join(value: object) -> bytes:
        rows = value if isinstance(value, list) else [value]
        lines = (
            delimiter.join(map(str, row)) if isinstance(row, list) else str(row)
            for row in rows
        )
        return "\n".join(lines).encode("utf-8", "surrogatepass")

    return strategy


@st.composite
def _edited(draw: st.DrawFn, original: Any) -> Any:
    """A copy with one to three random edits."""
    value = copy.deepcopy(original)
    for _ in range(draw(st.integers(1, 3))):
        value = _edit(draw, value)
    return value


def _edit(draw: st.DrawFn, value: Any) -> Any:
    inside = list(value) if isinstance(value, dict) else []
    if isinstance(value, list):
        inside = list(range(len(value)))
    if not inside or draw(st.integers(0, 5)) == 0:
        return draw(_VALUES)
    key = draw(st.sampled_from(inside))
    kind = draw(st.integers(0, 9))
    if kind == 0:
        del value[key]
    elif kind == 1 and isinstance(value, list):
        value.insert(draw(st.sampled_from(inside)), value[key])
    elif kind == 1:
        value[draw(_TEXTS)] = value[key]
    else:
        value[key] = _edit(draw, value[key])
    return value


def _dumps(value: Any) -> bytes:
    return json.dumps(value).encode()
