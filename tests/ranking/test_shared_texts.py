"""Questions of one data set that are in another are found and removed."""

import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.ranking.shared_texts import without_shared

pytestmark = pytest.mark.once

LONG = "the city on the river was founded by settlers " * 5


def asked(text, *answers):
    candidates = tuple(
        Candidate(str(i), answer, label)
        for i, (answer, label) in enumerate(answers)
    )
    return Question(text, text, candidates)


TARGET = [
    asked("who did n't write emma ?", ("austen did", 1), ("it 's blue", 0)),
    asked("where does the river of silver flow", (LONG[:140], 0), ("...", 0)),
]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        (asked("Who didn't write Emma?"), "question"),
        (asked("Where does the River of Silver end?", ("x", 1)), None),
        # 6 of 7 words.
        (asked("Where does the flow river of?", ("x", 1)), "near_question"),
        (asked("And now?", ("It's BLUE.", 1), ("x", 0)), "answer"),
        (asked("And now?", ("It's blue.", 0), ("x", 1)), None),
        (asked("Which city?", (LONG, 1)), "answer"),
        # Texts without a letter or digit are equal to none.
        (asked("???", ("!", 1)), None),
    ],
)
def test_each_kind(question, kind):
    other = asked("something else", ("entirely", 1))
    kept, removed = without_shared([question, other], TARGET)
    assert kept == ([other] if kind else [question, other])
    assert {k: n for k, n in removed.items() if n} == (
        {kind: 1} if kind else {}
    )


def test_the_first_kind_counts():
    both = asked("Who didn't write Emma?", ("Austen did.", 1))
    kept, removed = without_shared([both, both], TARGET)
    assert kept == []
    assert removed == {"question": 2, "near_question": 0, "answer": 0}
    assert without_shared([both], [])[0] == [both]
    with pytest.raises(ValueError, match=r"`threshold` must be above 0"):
        without_shared([both], TARGET, 0.0)
