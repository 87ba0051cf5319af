"""Which answers have a score, and the marks of those that stand out."""

import json

import numpy as np
import pytest

from keras_qa.text.notes import TextNotes
from keras_qa.text.notes import answer_notes
from keras_qa.text.notes import question_notes
from keras_qa.text.readable import LONE_STOP_WORDS
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.readable import frequent_words
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary

WORDS = ["the", "emma", "no", "'s", "?", "漢字"]
VOCABULARY = Vocabulary(WORDS)
ANSWERS = [
    "",
    "unseen",
    "the",
    "the 's ?",
    "The Emma",
    "no",
    "漢字",
    "a b emma",
]


@pytest.mark.parametrize("buckets", [0, 7])
@pytest.mark.parametrize(
    ("readable", "expected"),
    [
        ("any", [1, 1, 1, 1, 1, 1, 1, 1]),
        ("known", [0, 0, 1, 1, 1, 1, 1, 0]),
        ("content", [0, 0, 0, 0, 1, 1, 1, 0]),
    ],
)
def test_what_counts_within_the_maximum_length(readable, expected, buckets):
    # A word that is known by its hash alone is unknown, too.
    words = Vocabulary(WORDS, buckets)
    reading = TextReading(words, "whitespace", None, 2, readable=readable)
    texts = reading.texts("answer", ANSWERS)
    np.testing.assert_array_equal(reading.are_readable(texts), expected)
    scores = np.arange(-3, 5, dtype=np.float32)
    found = reading.unread_last(scores, texts)
    assert found.dtype == np.float32
    kept = np.array(expected, bool)
    np.testing.assert_array_equal(found[kept], scores[kept])
    assert (found[~kept] == UNREAD_SCORE).all()
    # By indices of texts.
    (found,) = reading.unread_last(scores[:1], texts, np.array([4]))
    assert found == scores[0]


def test_the_score_is_one_number_in_all_precisions():
    assert float(np.float32(UNREAD_SCORE)) == UNREAD_SCORE
    assert json.loads(json.dumps(UNREAD_SCORE)) == UNREAD_SCORE
    assert np.isfinite(UNREAD_SCORE)
    assert UNREAD_SCORE < -1e30


def test_stop_words_that_answer_no_question():
    assert {"the", "of", "whom", "n't", "’s"} <= LONE_STOP_WORDS
    assert not {"no", "both", "now", "yes", "one"} & LONE_STOP_WORDS


def test_frequent_words_replace_them(tmp_path):
    texts = [["der", "hund"], ["der", "der", "mond"], ["ja"]]
    assert frequent_words(texts, 0.5) == {"der"}
    with pytest.raises(ValueError, match=r"`share` must .* share=2"):
        frequent_words(texts, 2)
    words = frequent_words(texts, 0.5)
    TextReading(Vocabulary(["der", "mond", "the"]), stop_words=words).save(
        tmp_path
    )
    reading = TextReading.load(tmp_path)
    assert reading.stop_words == words
    texts = reading.texts("answer", ["der", "mond", "the"])
    assert reading.are_readable(texts).tolist() == [False, True, True]


def test_notes_mark_what_stands_out():
    reading = TextReading(VOCABULARY)
    notes = answer_notes(
        reading, "The Emma?", ["the EMMA", "the emma novel", "the", "", "no"]
    )
    assert notes == [
        TextNotes(repeats_question=True),
        TextNotes(unknown=("novel",)),
        TextNotes(unread=True),
        TextNotes(unread=True),
        TextNotes(),
    ]
    assert [str(x) for x in notes] == [
        *("repeats the question", "unknown: novel"),
        *("not readable", "not readable", ""),
    ]
    (note,) = answer_notes(reading, "x y", ["y? y"])
    assert str(note) == "not readable; unknown: y"
    # A question without words is repeated by nothing.
    assert answer_notes(reading, "?", [""]) == [TextNotes(unread=True)]
    assert question_notes(reading, "who is Emma who") == TextNotes(
        unknown=("who", "is")
    )
    assert answer_notes(reading, "x", []) == []


def test_notes_mark_texts_that_are_cut():
    reading = TextReading(
        VOCABULARY, max_question_length=2, max_answer_length=3
    )
    notes = answer_notes(reading, "x", ["the emma emma", "emma no no no zebra"])
    assert [note.cut_after for note in notes] == [None, 3]
    assert str(notes[1]) == "cut after 3 tokens"
    assert question_notes(reading, "emma emma").cut_after is None
    assert question_notes(reading, "emma emma no") == TextNotes(cut_after=2)
