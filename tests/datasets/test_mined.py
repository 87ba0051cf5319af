"""What is written is read back, whatever the texts hold."""

import sys

import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.mined import COLUMNS
from keras_qa.datasets.mined import check_output
from keras_qa.datasets.mined import read_candidates
from keras_qa.datasets.mined import write_candidates
from keras_qa.datasets.tabular import read_tabular
from keras_qa.errors import DatasetError

AWKWARD = ' a\t"b",\nc é 👩 \u2028 \\ \x00 '
QUESTIONS = [
    Question("1", AWKWARD, (Candidate("7", "yes", 1), Candidate("3", "", 0))),
    Question("0", "", (Candidate("7", "yes", 0), Candidate("0", AWKWARD, 1))),
]


@pytest.fixture(params=[1, 1024])
def parquet_rows(request, monkeypatch):
    """Rows of a Parquet file are read and written in parts."""
    for module in ("mined", "table_records"):
        name = f"keras_qa.datasets.{module}.PARQUET_ROWS"
        monkeypatch.setattr(name, request.param)


def test_round_trip_of_parquet(tmp_path, parquet_rows):
    pytest.importorskip("pyarrow")
    test_round_trip(tmp_path, "a.parquet")


@pytest.mark.parametrize(
    "name", ["a.csv", "a.jsonl", "a.ndjson.gz", "a.tsv", "a.tsv.gz"]
)
def test_round_trip(tmp_path, name):
    path = tmp_path / "new" / name
    write_candidates(path, iter(QUESTIONS))
    assert list(read_tabular(path, COLUMNS)) == QUESTIONS
    questions = list(read_candidates(path))
    assert questions == QUESTIONS
    first, second = (q.candidates[0].text for q in questions)
    assert first is second
    written = path.read_bytes()
    write_candidates(path, QUESTIONS)
    assert path.read_bytes() == written
    assert [p.name for p in path.parent.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl"])
def test_every_line_end_can_be_read(tmp_path, name):
    text = "a\rb\r\nc\nd"
    question = Question("1", text, (Candidate("7", text, 1),))
    write_candidates(tmp_path / name, [question])
    (found,) = read_candidates(tmp_path / name)
    expected = text if name == "a.jsonl" else "a\nb\nc\nd"
    assert (found.text, found.candidates[0].text) == (expected, expected)


def test_an_interrupted_file_does_not_appear(tmp_path):
    def interrupted():
        yield QUESTIONS[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_candidates(tmp_path / "a.tsv.gz", interrupted())
    assert list(tmp_path.iterdir()) == []


def test_a_name_says_what_is_written(tmp_path, monkeypatch):
    for name in ("a.csv", "a.v1.TSV", "a.jsonl.gz"):
        assert check_output(tmp_path / name)
    folder = tmp_path / "a.data"
    folder.mkdir()
    for name in ("a", "mined-1.2", "a.data"):
        assert not check_output(tmp_path / name)
    for name in ("a.json", "a.txt", "a.parquet.gz", "a.gz", "a.csv.bz2"):
        with pytest.raises(DatasetError, match=r"in \.parquet, or be a fold"):
            check_output(tmp_path / name)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"pip install 'keras-qa\[parquet\]"):
        check_output(tmp_path / "a.parquet")


def test_the_name_must_say_the_format(tmp_path):
    with pytest.raises(DatasetError, match=r"must end in .csv, .*Received:"):
        write_candidates(tmp_path / "a.txt", QUESTIONS)
    with pytest.raises(DatasetError, match=r"must end in .csv, .*a\.csv\.bz2"):
        write_candidates(tmp_path / "a.csv.bz2", QUESTIONS)


@pytest.mark.parametrize("name", ["dev.tsv.gz", "dev.csv", "dev.jsonl"])
def test_a_part_without_questions_is_read(tmp_path, name):
    write_candidates(tmp_path / name, [])
    assert list(read_candidates(tmp_path / name)) == []
