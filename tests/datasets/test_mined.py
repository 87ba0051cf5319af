"""What is written is read back, whatever the texts hold."""

import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.mined import COLUMNS
from keras_qa.datasets.mined import read_candidates
from keras_qa.datasets.mined import write_candidates
from keras_qa.datasets.tabular import read_tabular
from keras_qa.errors import DatasetError

AWKWARD = ' a\t"b",\nc é 👩 \u2028 \\ \x00 '
QUESTIONS = [
    Question("1", AWKWARD, (Candidate("7", "yes", 1), Candidate("3", "", 0))),
    Question("0", "", (Candidate("7", "yes", 0), Candidate("0", AWKWARD, 1))),
]


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


def test_an_interrupted_file_does_not_appear(tmp_path):
    def interrupted():
        yield QUESTIONS[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_candidates(tmp_path / "a.tsv.gz", interrupted())
    assert list(tmp_path.iterdir()) == []


def test_the_name_must_say_the_format(tmp_path):
    with pytest.raises(DatasetError, match=r"must end in .csv, .*Received:"):
        write_candidates(tmp_path / "a.txt", QUESTIONS)
