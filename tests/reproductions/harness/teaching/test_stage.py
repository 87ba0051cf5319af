"""The stage of a run that trains on other data sets first."""

import json
from pathlib import Path

import numpy as np
import pytest

from reproductions.harness import fitting
from reproductions.harness.teaching import stage
from reproductions.hyperqa import experiment as hyperqa
from support.script_runs import check_resumed
from support.script_runs import metrics_of
from support.script_runs import smoke_runner

DATA = Path(__file__).parents[3] / "data"
SETTINGS = {"projection_dim": 4, "random_dim": 4, "smoke_questions": 4}
OPTIONS = (
    *("--embeddings", "random", "--data-dir", str(DATA), "--recipe", "best"),
    *("--transfer", "selqa", "semeval"),
)

run = smoke_runner(hyperqa, SETTINGS)


@pytest.fixture(autouse=True)
def _without_export(without_export):
    pass


@pytest.fixture
def trained(monkeypatch):
    """The weights of each training, before and after it."""
    found = []
    fit = stage.fit_best_epoch

    def keep(trainer, *arguments, **keywords):
        before = trainer.get_weights()
        selector = fit(trainer, *arguments, **keywords)
        found.append((before, trainer.get_weights()))
        return selector

    for module in (stage, fitting):
        monkeypatch.setattr(module, "fit_best_epoch", keep)
    return found


def equal(first, second):
    return all(map(np.array_equal, first, second))


def test_the_second_training_starts_from_the_first(tmp_path, trained):
    assert run(tmp_path / "run", *OPTIONS) == 0
    (new, learnt), (start, _) = trained
    assert equal(start, learnt) and not equal(start, new)
    metrics = metrics_of(tmp_path / "run")
    assert list(metrics["transfer"]) == ["selqa", "semeval"]
    assert metrics["transfer"]["semeval"]["questions"] == 2
    assert metrics["training_set"] == "train after selqa + semeval"
    assert metrics["inputs"]["transfer"]
    (folder,) = (tmp_path / "run/transfer").iterdir()
    assert {path.name for path in folder.iterdir()} == {
        *("settings.json", "metrics.json", "weights.npz")
    }


def test_runs_that_differ_in_their_own_training_share_the_stage(
    tmp_path, trained, capsys
):
    shared = ["--transfer-dir", str(tmp_path / "shared")]
    run(tmp_path / "a", *OPTIONS, *shared)
    assert len(trained) == 2
    run(tmp_path / "b", *OPTIONS, *shared, epochs=2)
    assert len(trained) == 3
    assert "transfer: reused" in capsys.readouterr().out
    assert len(list((tmp_path / "shared").iterdir())) == 1
    # Without it, there is nothing to start from, and nothing is recorded.
    assert run(tmp_path / "d", *OPTIONS[:-3]) == 0
    assert not {"transfer"} & metrics_of(tmp_path / "d").keys()
    assert not (tmp_path / "d/transfer").exists()


def test_a_shared_stage_is_the_same_whichever_seed_makes_it(tmp_path, trained):
    """Each seed has random vectors of its own."""
    own = [*OPTIONS, "--set", "transfer_seed=1"]
    for seed in (1, 2):
        shared = ("--transfer-dir", str(tmp_path / f"shared-{seed}"))
        run(tmp_path / f"{seed}", *own, *shared, "--seed", str(seed))
    first, of_1, second, of_2 = trained
    assert equal(first[0], second[0]) and equal(first[1], second[1])
    assert not equal(of_1[0], of_2[0])


def test_resumed_is_the_same_as_uninterrupted(tmp_path):
    check_resumed(
        run, tmp_path, *OPTIONS, "--set=smoke_epochs=3", "--recipe=best"
    )


def test_damaged_weights(tmp_path, capsys):
    shared = ["--transfer-dir", str(tmp_path / "shared")]
    assert run(tmp_path / "a", *OPTIONS, *shared) == 0
    (weights,) = tmp_path.glob("shared/*/weights.npz")
    weights.write_bytes(weights.read_bytes()[:50])
    assert run(tmp_path / "b", *OPTIONS, *shared) == 2
    assert "expected the weights of this stage" in capsys.readouterr().err
    settings = json.loads(weights.with_name("settings.json").read_text())
    assert settings["settings"]["epochs"] == 1
