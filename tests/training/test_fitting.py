"""Fitting until the best epoch, in a folder that can resume."""

from types import SimpleNamespace

import numpy as np
import pytest

from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.text.packing import RaggedTexts
from keras_qa.training import fitting
from keras_qa.training.fitting import fit_best_epoch
from keras_qa.training.run_folder import RunFolder
from support.one_weight import one_weight_model

TEXTS = RaggedTexts.from_sequences([np.array([i]) for i in range(1, 9)])
NUMBERS = np.arange(8)


def fit(folder, qualities, **options):
    """A model of one weight, judged by the qualities in turn."""
    model = one_weight_model()
    batches = PointwiseBatches(TEXTS, NUMBERS, NUMBERS, NUMBERS, batch_size=4)
    values, weights = iter(qualities), []

    def evaluate():
        weights.append(model.get_weights()[0].item())
        return SimpleNamespace(metrics={"P@1": next(values)})

    with folder.claim():
        selector = fit_best_epoch(
            model, batches, folder, evaluate, monitor="P@1", **options
        )
    return selector, weights, model.get_weights()[0].item()


def test_the_model_has_the_weights_of_its_best_epoch(tmp_path, capsys):
    folder = RunFolder(tmp_path / "run", {})
    qualities = [0.1, 0.3, 0.2]
    selector, weights, kept = fit(folder, qualities, epochs=3, title="tiny")
    assert selector.best_epoch == 2
    assert kept == pytest.approx(weights[1]) != pytest.approx(weights[2])
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        f"tiny: epoch {number}/3" for number in (1, 2, 3)
    ]


def test_it_goes_on_and_ends_out_of_patience(tmp_path):
    folder = RunFolder(tmp_path / "run", {})
    _, first, _ = fit(folder, [0.1, 0.3], epochs=2)
    again = RunFolder(tmp_path / "run", {}, resume=True)
    options = {"epochs": 9, "patience": 2}
    selector, weights, kept = fit(again, [0.2, 0.3, 0.9], **options)
    assert len(weights) == 2
    assert (selector.best_epoch, len(selector.history)) == (2, 4)
    assert kept == pytest.approx(first[1])


def test_the_mean_of_the_last_epochs_also_after_a_resume(tmp_path):
    """Stopped after the second of four epochs, of which three are averaged."""
    folder = RunFolder(tmp_path / "run", {})
    selector, first, kept = fit(folder, [0.9, 0.1], epochs=2, average_last=3)
    assert selector.chosen_epochs == [1, 2]
    assert kept == pytest.approx(np.mean(first))
    again = RunFolder(tmp_path / "run", {}, resume=True)
    selector, weights, kept = fit(again, [0.2, 0.3], epochs=4, average_last=3)
    assert selector.chosen_epochs == [2, 3, 4]
    assert kept == pytest.approx(np.mean([first[1], *weights]))
    assert kept != pytest.approx(weights[0])
    states = {path.name for path in folder.path.glob("*.h5")}
    assert states == {f"epoch-000{i}.weights.h5" for i in (2, 3, 4)}


def test_fewer_epochs_than_done(tmp_path):
    fit(RunFolder(tmp_path / "run", {}), [0.1, 0.3], epochs=2)
    again = RunFolder(tmp_path / "run", {}, resume=True)
    message = "`epochs` must be at least the 2 that .*run holds.*epochs=1"
    with pytest.raises(ValueError, match=message):
        fit(again, [], epochs=1)


def test_an_epoch_is_the_least(tmp_path):
    with pytest.raises(ValueError, match=r"`epochs` must be .*epochs=0"):
        fit(RunFolder(tmp_path / "run", {}), [], epochs=0)


def test_a_resumed_training_draws_only_its_own_epochs(tmp_path):
    drawn = []

    class Recorded(PointwiseBatches):
        def _draw(self, rng, epoch):
            drawn.append(epoch)
            super()._draw(rng, epoch)

    for epochs in (2, 4):
        folder = RunFolder(tmp_path / "run", {}, resume=epochs > 2)
        batches = Recorded(TEXTS, NUMBERS, NUMBERS, NUMBERS, batch_size=4)
        measured = SimpleNamespace(metrics={"P@1": 0.5})
        with folder.claim():
            fit_best_epoch(
                one_weight_model(),
                batches,
                folder,
                lambda found=measured: found,
                monitor="P@1",
                epochs=epochs,
            )
    assert drawn == [0, 1, 2, 3]


def test_a_long_epoch_has_lines_of_its_own(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(fitting, "LINE_SECONDS", 0.0)
    batches = PointwiseBatches(TEXTS, NUMBERS, NUMBERS, NUMBERS, batch_size=4)
    found = SimpleNamespace(metrics={"P@1": 0.5, "MAP": 0.25})
    folder = RunFolder(tmp_path / "run", {})
    with folder.claim():
        fitting.fit_best_epoch(
            *(one_weight_model(), batches, folder, lambda: found, 1),
            monitor="P@1",
            shown="MAP",
            title="tiny",
        )
    lines = capsys.readouterr().err.splitlines()
    assert [line.rpartition(", ")[0] for line in lines[:2]] == [
        f"tiny: epoch 1/1, step {i}/2" for i in (1, 2)
    ]
    # The metric that is shown, and not the one that chooses.
    assert ", MAP 0.2500, " in lines[2] and "P@1" not in lines[2]
