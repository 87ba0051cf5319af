"""The strict reader: values of files are of their types, or refused."""

import re
from dataclasses import dataclass
from typing import Any
from typing import Literal
from typing import NotRequired
from typing import TypedDict

import pytest

from keras_qa.errors import SearchError
from keras_qa.files.checks import fits
from keras_qa.files.checks import parse_json
from keras_qa.files.checks import read_json
from keras_qa.files.checks import read_toml
from keras_qa.files.checks import typed


@dataclass(frozen=True)
class Cell:
    name: str
    value: float = 0.5

    def __post_init__(self):
        if self.value < 0:
            raise ValueError(
                f"`value` must be positive. Received: {self.value}"
            )


@dataclass(frozen=True)
class Table:
    size: int
    cells: tuple[Cell, ...] = ()
    note: str | None = None
    first: Cell | None = None


class Run(TypedDict):
    seed: int
    metrics: dict[str, float]
    row: NotRequired[str | None]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (int, [0, -3, 2**63 - 1], [True, 1.0, "1", None, 2**63, -(2**64)]),
        (
            float,
            [0, -2.5, 2**70, 1e308],
            [True, "1", None, float("nan"), float("inf"), 10**400],
        ),
        (str, ["", "é", "\0"], [None, b"x", "\udcff"]),
        (bool, [True], [1, None]),
        (str | None, ["a", None], [1]),
        (list[int], [[], [1, 2]], [(1,), [1, "2"], [1.5], {}]),
        (tuple[str, int], [["a", 1]], [["a"], ["a", 1, 2], [1, "a"], []]),
        (tuple[int, ...], [[], [1, 2, 3]], [[1, None], 1]),
        (dict[str, float], [{}, {"a": 1}], [{"a": "b"}, {1: 1.0}, [], None]),
        (dict[str, Any], [{"a": object()}], [{"\udcff": 1}]),
        (dict[str, list[int]] | None, [None, {"a": [1]}], [{"a": [None]}]),
        (Literal["a", 1], ["a", 1], ["b", True, 1.0, None]),
        (Cell, [{"name": "a"}, {"name": "a", "value": 1}], [{}, [], None]),
        (
            Run,
            [{"seed": 1, "metrics": {}, "row": None, "more": object()}],
            [{"seed": 1}, {"seed": "1", "metrics": {}}],
        ),
    ],
)
def test_fits(kind, good, bad):
    assert [value for value in good if not fits(value, kind)] == []
    assert [value for value in bad if fits(value, kind)] == []


def test_dataclasses_and_tuples_are_made_of_objects_and_lists():
    found = typed(
        {"size": 2, "cells": [{"name": "a"}, {"name": "b", "value": 1}]},
        Table,
        "x",
        SearchError,
    )
    assert found == Table(2, (Cell("a"), Cell("b", 1)))
    run = {"seed": 1, "metrics": {"MAP": 1}, "more": [1]}
    assert typed(run, Run, "x", SearchError) == run


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ([], Table, "expected a JSON object. Received: []"),
        ({"cells": []}, Table, "expected size. Received: no size"),
        (
            {"size": 1, "sise": 2},
            Cell,
            "expected name. Received: no name",
        ),
        (
            {"size": 1, "sise": 2},
            Table,
            "expected size, cells, note, first. Received: 'sise'",
        ),
        ({"size": 1.5}, Table, "`size` must be of type int. Received: 1.5"),
        (
            {"size": 1, "cells": [{"name": "a"}, {"name": 2}]},
            Table,
            "`cells[1].name` must be of type str. Received: 2",
        ),
        (
            {"size": 1, "first": {"value": 2}},
            Table,
            "expected `first` with name. Received: no name",
        ),
        (
            {"size": 1, "first": {"name": "a", "value": -2}},
            Table,
            "first: `value` must be positive. Received: -2",
        ),
        (
            {"size": 1, "note": 3},
            Table,
            "`note` must be of type str. Received: 3",
        ),
        (
            {"seed": 1, "metrics": {"MAP": float("nan")}},
            Run,
            "`metrics.MAP` must be of type float. Received: nan",
        ),
        (["a"], dict[str, int] | list[int], "expected a value of type "),
    ],
)
def test_an_error_names_the_place_in_a_file(value, kind, message):
    with pytest.raises(SearchError, match=re.escape(f"f.json:3: {message}")):
        typed(value, kind, "f.json:3", SearchError)


def test_files_are_read_and_refused(tmp_path):
    path = tmp_path / "cell"
    path.write_text('{"name": "a"}')
    assert read_json(path, Cell, SearchError) == Cell("a")
    assert read_json(path, Any, SearchError) == {"name": "a"}
    with pytest.raises(SearchError, match=r"cell: expected TOML. Received: '"):
        read_toml(path, Cell, SearchError)
    path.write_text('name = "a"\nvalue = 2')
    assert read_toml(path, Cell, SearchError) == Cell("a", 2)
    with pytest.raises(SearchError, match=r"expected an index. Received: Exp"):
        read_json(path, Cell, SearchError, "an index")
    path.write_text("[" * 100_000)
    with pytest.raises(SearchError, match=r"expected a JSON file. Received: "):
        read_json(path, Cell, SearchError)
    path.write_text("a = " + "[" * 100_000)
    with pytest.raises(SearchError, match=r"expected TOML. Received: "):
        read_toml(path, Cell, SearchError)
    path.unlink()
    with pytest.raises(SearchError, match=r"Received: .*No such file"):
        read_json(path, Cell, SearchError)


def test_a_line_is_read_or_refused():
    assert parse_json(b'["a", 1]', tuple[str, int], "f:1", ValueError) == (
        "a",
        1,
    )
    with pytest.raises(ValueError, match=r"^f:1: expected JSON\. Received: b"):
        parse_json(b"{", Cell, "f:1", ValueError)
    with pytest.raises(ValueError, match=r"^f:1: expected a JSON object"):
        parse_json(b"[]", Cell, "f:1", ValueError)
