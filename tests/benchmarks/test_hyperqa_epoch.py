"""The benchmark of the training step: its text, its sums, a tiny run."""

import json
import multiprocessing
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import hyperqa_epoch
from benchmarks import hyperqa_epoch_summary
from benchmarks import hyperqa_epoch_work
from benchmarks.hyperqa_epoch_work import Settings


def test_words_follow_zipfs_law():
    settings = Settings(texts=20_000, vocabulary=1_000)
    texts = hyperqa_epoch_work.make_texts(settings)
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
    groups = hyperqa_epoch_work.make_groups(settings, "wide")
    question, positive, negatives = groups
    assert question.shape == positive.shape == (200,)
    assert negatives.shape == (200, 4)
    assert question.max() < 20 <= min(positive.min(), negatives.min())


def test_ratios_and_projected_epochs_by_hand():
    triples = {
        "packed": [0.1, 0.1, 0.2],
        "keras": [0.3, 0.4, 0.5],
        "keras-xla": [0.6, 0.6, 0.6],
        "torch": [0.5, 1.0, 1.0],
    }
    shared = {"packed": [0.05, 0.05, 0.05], "keras": [0.1, 0.2, 0.1]}
    wide = {"packed": [0.2, 0.2, 0.2], "keras": [0.6, 0.6, 0.6]}
    names = ("triples", "shared", "wide")
    summary = hyperqa_epoch_summary.summarise(
        Settings(),
        {
            "seconds": {"triples": triples, "shared": shared, "wide": wide},
            "profile": {name: {"pipeline": 0.01} for name in names},
        },
    )
    assert summary["plain_keras"] == "keras"
    found = {
        name: [
            summary[name][figure]
            for figure in (
                "speedup",
                "speedup_over_torch",
                "speedup_over_shared_keras",
                "pipeline_share",
            )
        ]
        for name in names
    }
    assert found["triples"] == pytest.approx([3, 5, 3, 0.1])
    # 200 triples of 50 questions against 200 by themselves.
    assert found["shared"] == pytest.approx([8, 20, 2, 0.2])
    # 800 triples against 200.
    assert found["wide"] == pytest.approx([8, 20, 3, 0.05])
    rates = [summary[n]["triples_per_second"]["packed"] for n in names]
    assert rates == pytest.approx([2_000, 4_000, 4_000])
    # 253,000 pairs in batches of 200 x 2, 50 x 5 and 200 x 5.
    epochs = [summary[n]["epoch_seconds"]["packed"] for n in names]
    assert epochs == pytest.approx([63.25, 50.6, 50.6])
    bounds = {
        name: bound["reached"] for name, bound in summary["bounds"].items()
    }
    assert bounds == {
        "packed against plain Keras, triples": True,
        "packed against plain Keras, shared": True,
        "seconds of an epoch, wide": False,
    }


def test_a_contender_that_ends_is_named(monkeypatch):
    monkeypatch.setattr(
        hyperqa_epoch, "serve", lambda name, settings, end: None
    )
    context = SimpleNamespace(
        Pipe=multiprocessing.Pipe, Process=threading.Thread
    )
    monkeypatch.setattr(
        *(hyperqa_epoch.multiprocessing, "get_context", lambda _: context)
    )
    with pytest.raises(SystemExit, match="packed: expected a result"):
        hyperqa_epoch.run(Settings())


@pytest.mark.large
def test_contenders_train_alike(tmp_path, capsys):
    output = tmp_path / "result.json"
    assert hyperqa_epoch.main(["--smoke", "--json", str(output)]) == 0
    assert "packed: " in capsys.readouterr().out
    losses = json.loads(output.read_text())["losses"]
    for name, loss in losses.items():
        packed = losses[name.split()[0] + " packed"]
        np.testing.assert_allclose(loss, packed, rtol=1e-3, err_msg=name)
