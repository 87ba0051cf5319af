"""How often models prefer junk: the counts, and the table of the page."""

from pathlib import Path

import numpy as np
import pytest

from devtools.benchmarks import junk_answers
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question

PAGE = Path(__file__).parents[2] / "docs/rank-and-ask.md"


class Shortest:
    """Prefers short texts."""

    def scores(self, questions, answers):
        return np.array([-len(text.split()) for text in answers], np.float32)


def test_what_is_counted():
    candidates = [
        Candidate("1", "one two three four five", 1),
        Candidate("2", "six", 0),
        Candidate("3", "six seven", 0),
        Candidate("4", "six seven eight nine", 0),
    ]
    question = Question(
        "1", "a question of more words than answers", candidates
    )
    found = junk_answers.measure(Shortest(), [question])
    assert found == {
        "questions": 1,
        **dict.fromkeys(
            ("empty", "unknown word", "a stop word", "any stop word"), 1
        ),
        "question": 0,
        "first 3 words": 1,
        "correlation with length": pytest.approx(-1),
        "MAP": 0.25,
    }


def test_the_page_has_the_table_of_the_record():
    text = PAGE.read_text("utf-8")
    shown = text.split("<!-- begin junk -->\n")[1].split("<!-- end junk -->")[0]
    records = junk_answers.read_record()
    assert shown.strip() == junk_answers.table(records)
    for record in records:
        by_default = record["content"]
        for name in ("empty", "unknown word", "any stop word"):
            assert by_default[name] == 0
        assert by_default["MAP"] == record["any"]["MAP"]
