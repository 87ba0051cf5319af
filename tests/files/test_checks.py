"""Whether values of files are of their types."""

from typing import Any

import pytest

from keras_qa.files.checks import fits
from keras_qa.files.checks import misfit


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
    ],
)
def test_fits(kind, good, bad):
    assert [value for value in good if not fits(value, kind)] == []
    assert [value for value in bad if fits(value, kind)] == []


def test_the_first_misfit_is_named_and_what_is_absent_passed_over():
    kinds = {"a": int, "b": str, "c": float}
    assert misfit({"a": 1, "c": 2, "more": object()}, kinds) is None
    assert misfit({"c": "x", "b": 1, "a": 1}, kinds) == "b"
