"""The settings that say how a data set is opened."""

from pathlib import Path

from reproductions.harness.questions import open_for

DATA = Path(__file__).parents[2] / "data"


def test_squad_is_opened_with_a_first_stage():
    found = open_for("squad", DATA, {"first_stage": 1}).questions("dev")
    assert [len(q.candidates) for q in found] == [1, 1, 1]
    assert [q.missed for q in found] == [0, 0, 1]
    found = open_for("squad", DATA, {"paragraphs": "split"}).questions("dev")
    assert [q.missed for q in found] == [0, 0, 0]
    found = open_for("squad", DATA, {"train_candidates": 2}).questions("train")
    labels = [[c.label for c in q.candidates] for q in found]
    # No other document shares a word with the last two questions.
    assert labels == [[0, 1], [0, 1], [1], [1]]


def test_settings_of_quasar():
    settings = {
        "pool_size": 2,
        "contexts": "short",
        "relevance": "characters",
        "first_stage": 1,
    }
    found = open_for("quasar-t", DATA, settings).questions("train")
    labels = [[c.label for c in q.candidates] for q in found]
    assert labels == [[1, 0], [1, 0], [1, 1]]
