"""Counts of what a ranker cannot read, by pencil."""

import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.own_data.unread import count_unread
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary

pytestmark = pytest.mark.once
WORDS = ("the", "emma", "jane")
QUESTIONS = [
    Question(
        "0",
        "jane novel",
        (
            Candidate("0", "emma novel jane", 2),
            Candidate("1", "the", 1),
            Candidate("2", "", 0),
            Candidate("3", "novel", 0),
        ),
    ),
    # Its answer is not counted twice among the words.
    Question("1", "emma", (Candidate("0", "novel", 1),)),
]


@pytest.mark.parametrize(
    ("readable", "unread", "right"),
    [("content", 4, 2), ("known", 3, 1), ("any", 0, 0)],
)
def test_counts(readable, unread, right):
    reading = TextReading(Vocabulary(WORDS), readable=readable)
    found = count_unread(reading, QUESTIONS)
    assert (found.candidates, found.right) == (5, 3)
    assert (found.unread, found.right_unread) == (unread, right)
    assert found.unknown_in_answers == 2 / 5
    assert found.unknown_in_questions == 1 / 3
    lines = found.lines("it")
    assert "40.0% of the words of the answers and 33.3%" in lines[-1]
    assert len(lines) == 1 + (unread > 0)
    assert ("stop words" in lines[0]) == (readable == "content")


def test_words_behind_the_longest_answer_are_not_read():
    reading = TextReading(Vocabulary(WORDS), max_answer_length=1)
    found = count_unread(reading, QUESTIONS[:1])
    assert found.unknown_in_answers == 1 / 3
    assert (found.cut, found.right_cut, found.length) == (1, 1, 1)
    (line,) = [line for line in found.lines("it") if "longer" in line]
    assert "1 of 4 candidates, 1 of 2 right ones, are longer than the 1" in line


def test_nothing_to_say():
    reading = TextReading(Vocabulary([*WORDS, "novel"]), readable="any")
    assert count_unread(reading, QUESTIONS).lines("it") == []
    assert count_unread(reading, []).lines("it") == []
    long = Candidate("0", "emma " * 3000 + "new", 1)
    assert (
        count_unread(reading, [Question("0", "emma", (long,))]).lines("") == []
    )
