import gzip
import os
import pickle
from pathlib import Path

import pytest

from keras_qa.datasets.collections.yahooqa import YahooQA
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import open_dataset
from keras_qa.errors import DatasetError

ENV = Path(__file__).parents[2] / "data/YahooQA/env.pkl"


@pytest.fixture
def pickled(tmp_path):
    """Writes an object as a pickle."""

    def write(value, protocol=2):
        path = tmp_path / "env.pkl"
        path.write_bytes(pickle.dumps(value, protocol))
        return path

    return write


def test_splits_questions_and_labels():
    collection = YahooQA(ENV)
    assert list(collection.questions("dev")) == [
        Question(
            "1",
            "what do koalas eat?",
            (
                Candidate("0000", "koalas live in australia.", 0),
                Candidate(
                    "0001", "koalas eat the leaves of eucalyptus trees.", 1
                ),
                Candidate("0002", "a koala sleeps 20 hours a day.", 0),
            ),
        ),
        Question(
            "2",
            "who painted guernica?",
            (Candidate("0000", "pablo picasso painted guernica in 1937.", 1),),
        ),
    ]
    assert len(list(collection.questions("train"))) == 4


def test_answers_of_unfitting_length_are_left_out():
    def first(**arguments):
        question = next(YahooQA(ENV, **arguments).questions("train"))
        return [c.id for c in question.candidates]

    # "london" is kept, "uk" too short, 51 words too long.
    assert first() == ["0000", "0001", "0002", "0003"]
    assert first(min_characters=2) == [f"000{i}" for i in range(5)]
    assert first(max_words=51) == ["0000", "0001", "0002", "0003", "0005"]
    assert first(max_words=None, min_characters=0) == [
        f"000{i}" for i in range(6)
    ]


def test_a_question_without_fitting_answers_is_left_out(pickled):
    path = pickled({"train": {"a": [["uk", 1]], "b": [("fitting", 1.0)]}})
    (question,) = YahooQA(path).questions("train")
    assert question == Question("2", "b", (Candidate("0000", "fitting", 1),))


def test_gzip_and_further_keys(tmp_path):
    value = {"dev": {"q": [["answer", 0]]}, "vocabulary": {"answer": 7}}
    path = tmp_path / "env.pkl.gz"
    path.write_bytes(gzip.compress(pickle.dumps(value)))
    assert next(YahooQA(path).questions("dev")).text == "q"
    with pytest.raises(DatasetError, match=r"'test'\]: expected a dictionary"):
        list(YahooQA(path).questions("test"))


class Malice:
    def __reduce__(self):
        return os.system, ("touch pwned",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_malicious_file(tmp_path, monkeypatch, pickled, protocol):
    monkeypatch.chdir(tmp_path)
    for value in (Malice(), {"train": {"q": [["a", Malice()]]}}):
        path = pickled(value, protocol)
        with pytest.raises(
            DatasetError, match=r"env\.pkl: expected a pickle of dict, list"
        ):
            list(YahooQA(path).questions("train"))
    assert [p.name for p in tmp_path.iterdir()] == ["env.pkl"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1], r"env\.pkl: expected a dictionary with the keys \('train'"),
        ({"valid": {}}, r"keys .* Received: \['valid'\]"),
        ({"train": []}, r"\['train'\]: expected a dictionary. Received: \[\]"),
        ({"train": {7: []}}, "question 1, the question to be a string.* 7"),
        ({"train": {"q": {"a": 1}}}, r"question 1: expected a list of answ"),
        ({"train": {"q": ["a"]}}, r"question 1: expected pairs .*: 'a'"),
        ({"train": {"q": [["a", 1, 2]]}}, "expected pairs"),
        ({"train": {"q": [[5, 1]]}}, "the answer to be a string. Received: 5"),
        ({"train": {"q": [["a", 2]]}}, "expected a label, 0 or 1. .*: 2"),
        ({"train": {"q": [["a", "1"]]}}, "expected a label, 0 or 1. .*: '1'"),
        ({"train": {"q": [["\ud800", 1]]}}, "the answer without surrogates"),
    ],
)
def test_other_layouts(pickled, value, message):
    with pytest.raises(DatasetError, match=message):
        list(YahooQA(pickled(value)).questions("train"))


def test_strings_of_python_2(tmp_path):
    path = tmp_path / "env.pkl"
    text = b"caf\xe9 au lait"
    # What Python 2 writes of {"train": {text: [[text, 1]]}}.
    string = b"U" + bytes([len(text)]) + text
    path.write_bytes(
        b"\x80\x02}U\x05train}" + string + b"](](" + string + b"K\x01eess."
    )
    with pytest.raises(DatasetError, match=r"another `encoding`, .*'utf-8' c"):
        open_dataset("yahooqa", tmp_path).questions("train")
    data = open_dataset("yahooqa", tmp_path, encoding="latin-1")
    (question,) = data.questions("train")
    assert question.text == "café au lait" == question.candidates[0].text


def test_a_list_that_contains_itself(pickled):
    answers = []
    answers.append(answers)
    with pytest.raises(DatasetError, match="question 1: expected pairs"):
        list(YahooQA(pickled({"dev": {"q": answers}})).questions("dev"))


def test_too_long_missing_or_damaged_files(tmp_path):
    with pytest.raises(DatasetError, match="at most 100 bytes"):
        list(YahooQA(ENV, max_bytes=100).questions("dev"))
    with pytest.raises(DatasetError, match=r"readable file\..* No such file"):
        list(YahooQA(tmp_path / "none.pkl").questions("dev"))
    damaged = tmp_path / "env.pkl.gz"
    damaged.write_bytes(gzip.compress(ENV.read_bytes())[:-9])
    with pytest.raises(DatasetError, match="readable file"):
        list(YahooQA(damaged).questions("dev"))
    cut = tmp_path / "cut.pkl"
    cut.write_bytes(ENV.read_bytes()[:-9])
    with pytest.raises(DatasetError, match="expected a pickle of dict"):
        list(YahooQA(cut).questions("dev"))


def test_an_answer_of_the_least_length_is_kept():
    def first(**arguments):
        question = next(YahooQA(ENV, **arguments).questions("train"))
        return [c.text for c in question.candidates]

    # "london" has 6 characters.
    assert "london" in first(min_characters=6)
    assert "london" not in first(min_characters=7)
