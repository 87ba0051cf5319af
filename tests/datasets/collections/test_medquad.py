"""The reader of MedQuAD on a few pairs in its format."""

from pathlib import Path

import pytest

from keras_qa.datasets.collections.medquad import read_medquad
from keras_qa.datasets.dataset import Candidate
from keras_qa.errors import DatasetError

FILE = Path(__file__).parents[2] / "data/MedQuAD/medquad.tsv"


def test_each_pair_is_a_question():
    questions = list(read_medquad(FILE))
    assert [q.id for q in questions] == ["1", "2", "3"]
    assert questions[0].text == questions[2].text == "What is a cold ?"
    assert questions[1].candidates == (Candidate("0000", "Sneezing.", 1),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("who\tme", r"a\.tsv:1: expected the header source<TAB>qid"),
        (
            "source\tqid\tquestion\tanswer\na\tb\tc",
            r"a\.tsv:2: expected 4 fields between tabs",
        ),
    ],
)
def test_bad_lines(tmp_path, text, message):
    path = tmp_path / "a.tsv"
    path.write_text(f"{text}\n")
    with pytest.raises(DatasetError, match=message):
        list(read_medquad(path))
