"""The reader of SelQA on a few lines in its format."""

from pathlib import Path

import pytest

from keras_qa.datasets.collections.selqa import read_selqa
from keras_qa.datasets.dataset import Candidate
from keras_qa.errors import DatasetError

DATA = Path(__file__).parents[2] / "data/SelQA"


def test_neighbouring_lines_are_a_question():
    files = [DATA / f"selqa-ass-{part}.tsv" for part in ("dev", "test")]
    questions = list(read_selqa(*files))
    ids = [f"selqa-ass-{i}" for i in ("dev-1", "dev-2", "dev-3", "test-1")]
    assert [q.id for q in questions] == ids
    assert questions[0].text == questions[2].text == "Who wrote Emma ?"
    assert questions[0].candidates == (
        Candidate("0000", "Emma is a novel by Jane Austen .", 1),
        Candidate("0001", "It came out in 1815 .", 0),
    )
    assert questions[2].candidates[0].text == '" Persuasion " came later .'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("who\tme", r"a\.tsv:1: expected 3 fields between tabs"),
        ("who\tme\tyes", r"a\.tsv:1: expected a label, 0 or 1"),
    ],
)
def test_bad_lines(tmp_path, line, message):
    path = tmp_path / "a.tsv"
    path.write_text(f"{line}\n")
    with pytest.raises(DatasetError, match=message):
        list(read_selqa(path))
