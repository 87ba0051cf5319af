import gzip
from pathlib import Path

import pytest

from keras_qa.datasets.collections.wikiqa import HEADER
from keras_qa.datasets.collections.wikiqa import read_wikiqa_toks
from keras_qa.datasets.collections.wikiqa import read_wikiqa_tsv
from keras_qa.datasets.registry import open_dataset
from keras_qa.errors import DatasetError

WIKIQA = Path(__file__).parents[2] / "data/WikiQA"


def test_filtered_is_the_default():
    path = WIKIQA / "WikiQA-train.tsv"
    questions = list(read_wikiqa_tsv(path))
    assert [q.id for q in questions] == ["Q1", "Q2", "Q3"]
    every = list(read_wikiqa_tsv(path, answered_only=False))
    assert [q.id for q in every] == ["Q1", "Q2", "Q3", "Q4"]
    assert every[:3] == questions
    assert not every[3].positives


def test_fields_of_the_tsv():
    first = next(read_wikiqa_tsv(WIKIQA / "WikiQA-train.tsv"))
    assert first.text == "Where is the Rosetta Stone?"
    assert [c.id for c in first.candidates] == ["D1-0", "D1-1", "D1-2"]
    assert [c.label for c in first.candidates] == [1, 0, 0]
    assert first.candidates[1].text == "The stone was found in 1799."


def test_numbers_are_those_of_the_unfiltered_file(tmp_path):
    lines = (WIKIQA / "WikiQA-train.tsv").read_text("utf-8").splitlines()
    # The second question loses its right answer.
    start = next(i for i, line in enumerate(lines) if line.startswith("Q2"))
    while lines[start].startswith("Q2"):
        lines[start] = f"{lines[start][:-1]}0"
        start += 1
    (tmp_path / "full").mkdir()
    path = tmp_path / "full" / "WikiQA-train.tsv"
    path.write_text("\n".join([*lines, ""]), "utf-8")
    (tmp_path / "train-folds.tsv").write_text("1\ttrain\n3\tdev\n", "utf-8")
    dataset = open_dataset("wikiqa-full", tmp_path)
    assert [q.id for q in dataset.questions("train")] == ["1", "3"]
    assert [[q.id for q in p] for p in dataset.held_out_fold()] == [
        ["1"],
        ["3"],
    ]
    every = open_dataset("wikiqa-full", tmp_path, answered_only=False)
    assert [q.id for q in every.questions("train")] == ["1", "2", "3", "4"]


def test_tokenised_folder_has_the_same_labels():
    tsv = read_wikiqa_tsv(WIKIQA / "WikiQA-train.tsv")
    toks = read_wikiqa_toks(WIKIQA / "train")
    for a, b in zip(tsv, toks, strict=True):
        assert [c.label for c in a.candidates] == [
            c.label for c in b.candidates
        ]


def test_quotation_marks_are_text(tmp_path):
    path = tmp_path / "a.tsv.gz"
    row = 'Q1\tWhat is "X"?\tD1\t"T\tD1-0\t"An unclosed quote\t1\n'
    text = "\t".join(HEADER) + "\r\n" + row
    path.write_bytes(gzip.compress(text.encode()))
    (question,) = read_wikiqa_tsv(path)
    assert question.text == 'What is "X"?'
    assert question.candidates[0].text == '"An unclosed quote'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("SentenceID\t", "", ":1: expected the header QuestionID<TAB>Q"),
        ("found in", "found\tin", ":3: expected 7 fields between tabs"),
        ("1799.\t0", "1799.\tyes", ":3: expected a label, 0 or 1.*'yes'"),
        ("D1-1", "D1-0", ":3: expected an id that no other .* 'Q1'.*'D1-0'"),
        ("Q3\tHow", "Q1\tHow", ":7: .*neighbours.* Received: 'Q1'"),
        ("Q1\tWhere is", "Q1\tWhere's", ":3: .* question 'Q1' as in line 2"),
    ],
)
def test_bad_lines_are_named(tmp_path, old, new, message):
    text = (WIKIQA / "WikiQA-train.tsv").read_text("utf-8")
    assert old in text
    path = tmp_path / "bad.tsv"
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DatasetError, match=f"bad.tsv{message}"):
        list(read_wikiqa_tsv(path))


def test_empty_file(tmp_path):
    path = tmp_path / "empty.tsv"
    path.touch()
    with pytest.raises(
        DatasetError, match=r"empty\.tsv:1: expected the header"
    ):
        list(read_wikiqa_tsv(path))


def test_folds_are_of_the_questions_with_an_answer(tmp_path):
    path = tmp_path / "WikiQA-train.tsv"
    path.write_bytes((WIKIQA / path.name).read_bytes())
    # Question 4 has no right answer.
    lines = "1\ttrain\n2\tdev\n3\tdev\n"
    (tmp_path / "train-folds.tsv").write_text(lines, "utf-8")
    dataset = open_dataset("wikiqa-all", tmp_path)
    train, dev = dataset.held_out_fold(fraction=0.5)
    assert len(train) == len(dev) == 2
