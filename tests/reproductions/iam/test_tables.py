"""Tables 2 to 4 of models whose ranks, weights and jumps are known."""

from pathlib import Path

import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from reproductions.harness.errors import FigureError
from reproductions.iam.tables import Reader
from reproductions.iam.tables import choose
from reproductions.iam.tables import extreme_marks
from reproductions.iam.tables import marked
from reproductions.iam.tables import tables

QUESTIONS = [
    Question("none", "what ?", (Candidate("a", "no", 0),)),
    Question(
        "both",
        "who wrote *it* ?",
        (
            Candidate("a", "it was long", 0),
            Candidate("b", "Jane wrote it in 1815 |", 1),
            Candidate("c", "Ann did", 1),
        ),
    ),
]
# Ids 2 to 8.
VOCABULARY = Vocabulary(["jane", "wrote", "it", "in", "num", "who", "?"])


class Fixed:
    """Weights rise with the place of a word, jumps with its id."""

    def __call__(self, inputs, training):
        return np.array([[0.5]])

    def attention(self, inputs, training):
        weights = np.arange(1.0, 1 + inputs["answer"].shape[1])[None]
        return {"answer": weights / weights.sum()}

    def jumps(self, ids):
        # Of <EOS>, too, which is the largest.
        return np.append(ids, [[100]], axis=1).astype(float)


def reader(name="iam", scorer=None):
    return Reader(
        Path("run"),
        {"model": name, "dataset": "wikiqa", "split": "dev"},
        scorer or Fixed(),
        TextReading(VOCABULARY, "whitespace-num", max_answer_length=5),
    )


def test_tables_as_the_paper_has_them():
    other = reader("attentive-lstm")
    lines = tables(QUESTIONS[1:], reader(), other).splitlines()
    assert lines[0] == "## Table 3, on `wikiqa` dev"
    assert lines[4] == "| Question | IAM | Attentive LSTM |"
    # Cut to five words, whose weights are 1/15 to 5/15.
    salient = "jane wrote **it** (0.200) **in** (0.267) **num** (0.333)"
    asked = "who wrote \\*it\\* ?"
    assert lines[6] == f"| {asked} | {salient} | {salient} |"
    assert lines[8] == "## Table 4, on `wikiqa` dev"
    assert lines[12] == "| Question | Correct answer | Incorrect answer |"
    correct = (
        "<u>jane</u> (B@1) <u>wrote</u> (B@2) it **in** (T@2) **num** (T@1)"
    )
    # Of three words one has no mark left: "was" and "long" are unknown.
    wrong = "**it** (T@1) **was** (T@2) <u>long</u> (B@1)"
    assert lines[14] == f"| {asked} | {correct} | {wrong} |"


def test_the_top_answers_of_two_models():
    rankings = {"iam": {"both": ["b", "a", "c"]}, "cross-encoder": {}}
    text = tables(QUESTIONS[1:], reader(), None, rankings)
    lines = text.splitlines()
    assert lines[0] == "## Table 2, on `wikiqa` dev"
    assert lines[4] == "| Question | IAM | Cross-encoder |"
    best = (
        "No.1: **Jane wrote it in 1815 \\|**<br>No.2: it was long"
        "<br>No.3: **Ann did**"
    )
    assert lines[6] == f"| who wrote \\*it\\* ? | {best} |  |"
    assert "## Table 3" in text


def test_no_place_has_two_marks():
    assert extreme_marks(np.array([5.0])) == {0: "**{}** (T@1)"}
    marks = extreme_marks(np.array([3.0, -1.0, 9.0, 0.0, 2.0]))
    assert {i: mark[-4:-1] for i, mark in marks.items()} == {
        2: "T@1",
        0: "T@2",
        1: "B@1",
        3: "B@2",
    }


def test_words_are_shown_as_they_are():
    assert marked(["{}", "<b>", "a_b"], {1: "**{}**"}) == r"{} **\<b\>** a\_b"


def test_questions_have_both_labels():
    assert choose(QUESTIONS, [], 2) == QUESTIONS[1:]
    assert choose(QUESTIONS, ["both"], 0) == QUESTIONS[1:]
    for questions, ids, received in (
        (QUESTIONS, ["none"], "none"),
        (QUESTIONS[:1], [], "a split without any"),
    ):
        with pytest.raises(FigureError, match=f"Received: {received}"):
            choose(questions, ids, 2)


def test_a_model_without_jumps_is_named():
    class Plain(Fixed):
        jumps = None

    with pytest.raises(FigureError, match="run: expected a model with the te"):
        reader(scorer=Plain()).extremes("jane wrote it")
