"""The benchmark `bert_cache`: its pairs, its summary, a tiny run."""

import json

import numpy as np
import pytest

from devtools.benchmarks import bert_cache
from devtools.benchmarks.bert_cache import Settings
from support import bert_reference


def test_pairs_are_the_samples_first():
    settings = Settings(batch_size=30, steps=2)
    pairs = bert_cache.make_pairs(settings)
    assert pairs.questions.shape == pairs.answers.shape == (60,)
    assert pairs.labels.shape == (60, 1)
    assert 0 < pairs.labels.mean() < 0.5
    assert len(set(pairs.texts)) == len(pairs.texts)
    used = {*pairs.questions, *pairs.answers}
    assert used == set(range(len(pairs.texts)))
    again = bert_cache.make_pairs(settings)
    assert again.texts == pairs.texts
    other = bert_cache.make_pairs(Settings(batch_size=30, steps=2, seed=1))
    assert set(other.texts) == set(pairs.texts)
    assert other.texts != pairs.texts
    with pytest.raises(ValueError, match=r"at most \d+.*steps=9999"):
        bert_cache.make_pairs(Settings(steps=9999))


def test_an_epoch_makes_the_vectors_of_all_its_pairs():
    settings = Settings(batch_size=30, steps=2)
    pairs = bert_cache.make_pairs(settings)
    asked = []

    def vectors(numbers):
        asked.append(numbers)
        return np.zeros((len(numbers), 1, 1))

    assert bert_cache.epoch(settings, pairs, vectors, None) > 0
    assert len(asked) == 2
    for part, wanted in enumerate([slice(30), slice(30, 60)]):
        question, answer = np.split(asked[part], 2)
        np.testing.assert_array_equal(question, pairs.questions[wanted])
        np.testing.assert_array_equal(answer, pairs.answers[wanted])


def test_ratios_and_bounds_by_hand():
    seconds = {
        "nothing": {"in the loop": [2, 4, 6], "cached": [0.01, 0.02, 0.1]},
        "mean": {"in the loop": [2, 4, 6], "cached": [0.2, 0.25, 0.3]},
        "BiLSTM": {"in the loop": [3, 5, 7], "cached": [1, 1, 1]},
    }
    summary = bert_cache.summarise(bert_cache.Settings(), {"seconds": seconds})
    assert summary["epochs"]["nothing"]["speedup"] == pytest.approx(200)
    assert summary["epochs"]["mean"]["seconds"] == {
        "in the loop": 4,
        "cached": 0.25,
    }
    assert summary["epochs"]["BiLSTM"]["speedup"] == 5
    reached = {n: b["reached"] for n, b in summary["bounds"].items()}
    assert reached == {"nothing": True, "mean": False}


@pytest.mark.large
def test_contenders_have_the_same_vectors(tmp_path, capsys):
    pytest.importorskip("keras_hub")
    weights = bert_reference.make_weights()
    source = bert_reference.write_bert(tmp_path / "tiny", weights)
    output = tmp_path / "result.json"
    arguments = ["--smoke", "--source", str(source), "--json", str(output)]
    assert bert_cache.main(arguments) == 0
    assert "at least 20" in capsys.readouterr().out
    result = json.loads(output.read_text())
    assert result["largest_difference"] < 1e-4
    assert set(result["seconds"]) == set(bert_cache.READERS)
