"""Sentences of SQuAD's paragraphs, and which of them answers."""

import json
from pathlib import Path

import pytest

from keras_qa.datasets.collections.squad_sentences import read_squad_sentences
from keras_qa.datasets.collections.squad_sentences import sentence_spans
from keras_qa.datasets.registry import open_dataset
from keras_qa.errors import DatasetError

DATA = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize(
    "sentences",
    [
        [],
        ["One."],
        ["It rained.", "It stopped!", "Why?", "Nobody knows"],
        ["Dr. No and Mr. J. S. Bach met in Washington, D.C. on Jan. 5."],
        ["He said “Go.”", "Then (he left.)", "“Fine,” she said."],
        ["It is 3.5 m.", "12 of them e.g. this one, i.e. all of No. 4."],
        ["A heading", "A line without a mark", "The end."],
    ],
)
def test_sentences(sentences):
    for blank in (" ", "  ", "\n"):
        if "A heading" in sentences and blank != "\n":
            continue
        text = f" {blank.join(sentences)}\n"
        spans = sentence_spans(text)
        assert [text[start:end] for start, end in spans] == sentences


def test_the_sentence_with_the_answer_is_right():
    first, second, *_ = read_squad_sentences(DATA / "SQuAD/train-v1.1.json")
    assert first.text == "How long do koalas sleep?"
    assert [(c.text, c.label) for c in first.candidates] == [
        ("The koala is a marsupial of Australia.", 0),
        ("It sleeps up to 20 hours a day.", 1),
    ]
    assert [c.label for c in second.candidates] == [1, 0]


def written(path, answers):
    question = {"id": "1", "question": "Why?", "answers": answers}
    paragraph = {"context": "One. Two. Three.", "qas": [question]}
    data = [{"title": "T", "paragraphs": [paragraph]}]
    path.write_text(json.dumps({"data": data}))
    return path


def answer(start, text):
    return {"answer_start": start, "text": text}


def test_answers_over_two_sentences_make_none_right(tmp_path):
    both = answer(0, "One. Two")
    path = written(tmp_path / "a.json", [both])
    assert list(read_squad_sentences(path)) == []
    (question,) = read_squad_sentences(path, answered_only=False)
    assert [c.label for c in question.candidates] == [0, 0, 0]
    answers = [both, answer(10, "Three"), answer(5, "Two.")]
    written(path, answers)
    (question,) = read_squad_sentences(path)
    assert [c.label for c in question.candidates] == [0, 1, 1]


def test_blanks_at_the_ends_of_an_answer_do_not_count(tmp_path):
    path = written(tmp_path / "a.json", [answer(4, " Two. ")])
    (question,) = read_squad_sentences(path)
    assert [c.label for c in question.candidates] == [0, 1, 0]


@pytest.mark.parametrize("start", [-5, 1, 99, "0"])
def test_an_answer_must_be_at_its_place(tmp_path, start):
    path = written(tmp_path / "a.json", [answer(start, "One")])
    message = r"qas\[0\]\.answers\[0\]\.answer_start: expected (the place|a n)"
    with pytest.raises(DatasetError, match=message):
        list(read_squad_sentences(path))


def test_both_files_are_one_split(tmp_path):
    dataset = open_dataset("squad-sentences", DATA)
    assert list(dataset.splits) == ["train"]
    ids = {q.id for q in dataset.questions("train")}
    assert len(ids) == 7
