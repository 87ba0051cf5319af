"""The benchmark of the training step: its text, its sums, a tiny run."""

import json

import numpy as np
import pytest

from benchmarks import hyperqa_epoch
from benchmarks.hyperqa_epoch import Settings


def test_words_follow_zipfs_law():
    settings = Settings(texts=20_000, vocabulary=1_000)
    texts = hyperqa_epoch.make_texts(settings)
    assert len(texts) == 20_000
    assert (texts.lengths.min(), texts.lengths.max()) == (5, 50)
    counts = np.bincount(texts.ids, minlength=1_000)
    assert counts[:2].tolist() == [0, 0]
    assert len(counts) == 1_000
    # The word of rank r is the first one's r-th part.
    for rank in (2, 5, 20):
        np.testing.assert_allclose(counts[1 + rank] * rank, counts[2], rtol=0.1)


def test_questions_are_not_among_the_answers():
    settings = Settings(texts=100, batch_size=50, steps=4)
    question, positive, negatives = hyperqa_epoch.make_groups(settings, 4)
    assert question.shape == positive.shape == (200,)
    assert negatives.shape == (200, 4)
    assert question.max() < 20 <= min(positive.min(), negatives.min())


def test_ratios_and_projected_epochs_by_hand():
    seconds = {
        "packed": [0.1, 0.1, 0.2],
        "keras": [0.3, 0.4, 0.5],
        "keras-xla": [0.6, 0.6, 0.6],
        "torch": [0.5, 1.0, 1.0],
    }
    measured = {
        "seconds": {"triples": seconds, "shared": seconds},
        "profile": {name: {"pipeline": 0.01} for name in ("triples", "shared")},
    }
    summary = hyperqa_epoch.summarise(Settings(), measured)
    triples, shared = summary["triples"], summary["shared"]
    assert triples["plain_keras"] == "keras"
    assert triples["speedup_over_keras"] == pytest.approx(3)
    assert triples["speedup_over_torch"] == pytest.approx(5)
    assert triples["triples_per_second"]["packed"] == pytest.approx(2_000)
    assert shared["triples_per_second"]["packed"] == pytest.approx(8_000)
    # 253,000 pairs are 632.5 batches of 200 x 2, or 253 of 200 x 5.
    assert triples["epoch_seconds"]["packed"] == pytest.approx(63.25)
    assert shared["epoch_seconds"]["packed"] == pytest.approx(25.3)
    assert shared["pipeline_share"] == pytest.approx(0.1)


@pytest.mark.large
def test_contenders_train_alike(tmp_path, capsys):
    output = tmp_path / "result.json"
    assert hyperqa_epoch.main(["--smoke", "--output", str(output)]) == 0
    assert "packed is" in capsys.readouterr().out
    for losses in json.loads(output.read_text())["losses"].values():
        np.testing.assert_allclose(
            list(losses.values()), losses["packed"], rtol=1e-3
        )
