"""How a model reads text: from texts to ids and features, and on disk."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from keras_qa.errors import RankerError
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.reading import TextReading
from keras_qa.text.reading import check_texts
from keras_qa.text.vocabulary import Vocabulary

VOCABULARY = Vocabulary(["who", "wrote", "emma", "漢字"])
OVERLAP = OverlapFeatures({"emma": 2, "wrote": 1}, 3)


def test_tokens_are_cut_by_side():
    reading = TextReading(VOCABULARY, "whitespace-num", 2, 3)
    text = "Who wrote 12 books?"
    assert reading.tokens("question", text) == ["who", "wrote"]
    assert reading.tokens("answer", text) == ["who", "wrote", "num"]
    longer = reading.cut_to({"answer": None})
    assert longer.max_length == {"question": 2, "answer": None}
    assert longer.tokenizer == "whitespace-num"


def test_pairs_are_what_the_scorers_take():
    reading = TextReading(VOCABULARY, overlap=OVERLAP, max_answer_length=2)
    questions = ["who wrote emma", "emma", "who wrote emma"]
    answers = ["Emma wrote emma", "emma", "?"]
    texts, asked, answered, features = reading.pairs(questions, answers)
    # The question that two pairs have in common is read once.
    assert len(texts) == 5
    assert [list(texts[i]) for i in asked] == [[2, 3, 4], [4], [2, 3, 4]]
    assert [list(texts[i]) for i in answered] == [[4, 3], [4], [1]]
    expected = [
        OVERLAP.pair(["who", "wrote", "emma"], ["emma", "wrote"]),
        OVERLAP.pair(["emma"], ["emma"]),
        OVERLAP.pair(["who", "wrote", "emma"], ["?"]),
    ]
    np.testing.assert_array_equal(features["overlap"], expected)
    texts, asked, answered, features = reading.pairs([], [])
    assert len(texts) == len(asked) == len(answered) == 0
    assert features["overlap"].shape == (0, 4)
    with pytest.raises(RankerError, match="Received: 1 questions, 2 answers"):
        reading.pairs(["a"], ["b", "c"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tokenizer": "bpe"}, r"`tokenizer` must be one of .*'bpe'"),
        (
            {"max_question_length": 0},
            r"`max_question_length` must be at least 1. Received: max_q.*=0",
        ),
        (
            {"max_answer_length": -1},
            r"`max_answer_length` must be at least 1. Received: max_a.*=-1",
        ),
    ],
)
def test_what_is_out_of_range(arguments, message):
    with pytest.raises(RankerError, match=message):
        TextReading(VOCABULARY, **arguments)


def test_the_lengths_of_a_model_are_taken():
    inputs = {
        side: SimpleNamespace(shape=(None, length), dtype="int32")
        for side, length in (("question", None), ("answer", 7))
    }
    model = SimpleNamespace(input=inputs, vocabulary_size=len(VOCABULARY))
    reading = TextReading(VOCABULARY, max_question_length=3).for_model(model)
    assert reading.max_length == {"question": 3, "answer": 7}
    with pytest.raises(RankerError, match="must not exceed the 7 tokens"):
        TextReading(VOCABULARY, max_answer_length=8).for_model(model)
    with pytest.raises(RankerError, match="must have the 6 words of the model"):
        TextReading(Vocabulary("a")).for_model(model)
    inputs["rows"] = inputs["answer"]
    with pytest.raises(RankerError, match=r"must take word ids .*rows \(int32"):
        TextReading(VOCABULARY).for_model(model)


@pytest.mark.parametrize("overlap", [None, OVERLAP])
def test_it_is_saved_and_loaded(tmp_path, overlap):
    reading = TextReading(VOCABULARY, "word-num", None, 9, overlap)
    reading.save(tmp_path, model="x")
    assert json.loads((tmp_path / "reading.json").read_text())["model"] == "x"
    loaded = TextReading.load(tmp_path)
    assert loaded.vocabulary.words == VOCABULARY.words
    assert loaded.tokenizer == "word-num"
    assert loaded.max_length == {"question": None, "answer": 9}
    if overlap is None:
        assert loaded.overlap is None
    else:
        assert vars(loaded.overlap) == vars(overlap)
    assert TextReading.load(tmp_path, "word").tokenizer == "word"


def changed(**entries):
    return lambda reading: json.dumps(reading | entries)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda r: "x", "expected a JSON file. Received: "),
        (lambda r: "[" * 100_000, "expected a JSON file. Received: "),
        (lambda r: "[]", r"a JSON object. Received: \[\]"),
        (lambda r: json.dumps({"tokenizer": "word"}), "no max_length"),
        (changed(max_length={"answer": None}), "no question"),
        (
            changed(max_length={"question": True, "answer": None}),
            "`max_length.question` must be of type .*. Received: True",
        ),
        (changed(tokenizer="bpe"), "`tokenizer` must be one of"),
        (changed(readable="all"), "`readable` must be one of .*'all'"),
        (
            changed(max_length={"question": None, "answer": 0}),
            "`max_answer_length` must be at least 1",
        ),
    ],
)
def test_a_damaged_file_is_named(tmp_path, damage, message):
    TextReading(VOCABULARY).save(tmp_path)
    path = tmp_path / "reading.json"
    path.write_text(damage(json.loads(path.read_text())))
    with pytest.raises(RankerError, match=message) as error:
        TextReading.load(tmp_path)
    assert str(error.value).startswith(f"{path}: ")


@pytest.mark.parametrize("item", [None, float("nan"), 3, b"text", ["text"]])
def test_texts_are_strings(item):
    received = re.escape(f"Received: answers[1]={item!r}")
    with pytest.raises(RankerError, match=f"`answers` must be .* {received}$"):
        check_texts("answers", ["a text", item, None])


@pytest.mark.parametrize("texts", ["text", b"text", None, float("nan")])
def test_texts_are_many(texts):
    with pytest.raises(RankerError, match="`texts` must be a list of texts"):
        check_texts("texts", texts)


def test_no_text_of_an_iterator_is_lost():
    texts = iter(["a", "b"])
    check_texts("texts", texts)
    assert list(texts) == ["a", "b"]
