"""Unknown words and empty texts are counted, and reported once."""

import warnings

import pytest

from keras_qa.errors import TextWarning
from keras_qa.text.reading import TextReading
from keras_qa.text.report import TextReport
from keras_qa.text.vocabulary import Vocabulary

VOCABULARY = Vocabulary(["who", "wrote", "emma"])


def test_unknown_words_and_empty_texts_are_reported_once():
    report = TextReport()
    reading = TextReading(VOCABULARY, report=report)
    reading.texts("answer", ["emma wrote", "who"])
    assert report.summary() == ""
    with pytest.warns(TextWarning, match=r"1 of 5 words are not .*: 'books'"):
        reading.texts("answer", ["emma books"])
    with pytest.warns(TextWarning, match="1 of 5 texts is empty") as warned:
        reading.pairs(["more books"], ["", "emma"][:1])
        reading.texts("answer", [" "])
    assert len(warned) == 1
    assert (report.texts, report.empty, report.words) == (6, 2, 7)
    assert report.unknown == {"books": 2, "more": 1}
    assert report.unknown_share == 3 / 7
    assert report.summary() == (
        "3 of 7 words are not in the model's vocabulary (42.9%) and are read "
        "as one unknown word: 'books', 'more'; 2 of 6 texts are empty"
    )
    reading.texts("answer", list("abcdef"))
    assert report.summary().count(", ...;") == 1
    report.clear()
    assert report.summary() == ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TextReading(VOCABULARY).texts("answer", ["unknown", ""])


def test_a_report_that_counts_nothing():
    report = TextReport()
    report.counts = False
    report.add([["new"], []], Vocabulary(["known"]))
    assert report.summary() == "" and report.texts == 0
