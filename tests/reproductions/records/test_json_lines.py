"""Files of JSON lines of a type."""

from dataclasses import dataclass

import pytest

from keras_qa.errors import KerasQAError
from reproductions.records.json_lines import RecordError
from reproductions.records.json_lines import read_lines


@dataclass(frozen=True)
class Point:
    x: float
    names: tuple[str, ...] = ()


def test_lines_are_read_in_order(tmp_path):
    path = tmp_path / "points.jsonl"
    # A line separator of Unicode ends no line of JSON.
    path.write_text('{"x": 1}\n{"x": 2.5, "names": ["a\u2028b"]}\n')
    assert read_lines(path, Point) == [Point(1), Point(2.5, ("a\u2028b",))]
    assert read_lines(tmp_path / "none.jsonl", Point) == []


def test_a_torn_last_line_is_left_out(tmp_path):
    path = tmp_path / "points.jsonl"
    path.write_text('{"x": 1}\n{"x": ')
    with pytest.warns(UserWarning, match=r"left out.*points\.jsonl:2: expect"):
        assert read_lines(path, Point) == [Point(1)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "expected JSON. Received: b'{'"),
        ("[]", "Received: []"),
        ("{}", "expected x. Received: no x"),
        ('{"x": "1"}', "`x` must be of type float. Received: '1'"),
        ('{"x": 1, "y": 2}', "Received: 'y'"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, message):
    path = tmp_path / "points.jsonl"
    path.write_text(f'{{"x": 1}}\n{line}\n')
    with pytest.raises(RecordError) as error:
        read_lines(path, Point)
    assert str(error.value).startswith(f"{path}:2: expected") or (
        str(error.value).startswith(f"{path}:2: `x`")
    )
    assert message in str(error.value)
    assert isinstance(error.value, KerasQAError)
