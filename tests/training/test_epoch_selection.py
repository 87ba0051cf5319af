"""When a training ends."""

import errno
import os
from functools import partial
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_qa.errors import DivergedError
from keras_qa.errors import RunFolderError
from keras_qa.training.epoch_selection import EpochSelector
from keras_qa.training.epoch_selection import load_weights
from keras_qa.training.epoch_selection import save_weights
from keras_qa.training.run_folder import RunFolder
from support.one_weight import one_weight_model


@pytest.mark.once
@pytest.mark.parametrize(
    ("patience", "quality", "ends"),
    [
        (2, [0.1, 0.3, 0.2, 0.1, 0.9], 4),
        # Equal is not better.
        (2, [0.3, 0.3, 0.3, 0.9], 3),
        (1, [0.1, 0.2, 0.3, 0.4], None),
        (0, [0.9, 0.1, 0.1, 0.1], None),
    ],
)
def test_patience(tmp_path, patience, quality, ends):
    selector = EpochSelector(
        RunFolder(tmp_path, {}), lambda: None, patience=patience
    )
    assert not selector.out_of_patience
    for epoch, value in enumerate(quality, start=1):
        selector.history.append({"epoch": epoch, "MAP": value})
        if selector.out_of_patience:
            break
    assert (epoch if selector.out_of_patience else None) == ends


@pytest.mark.once
@pytest.mark.parametrize("name", ["patience", "average_last"])
def test_errors(tmp_path, name):
    with pytest.raises(ValueError, match=f"`{name}` must not .*{name}=-1"):
        EpochSelector(RunFolder(tmp_path, {}), lambda: None, **{name: -1})


def _measured(**metrics):
    return lambda: SimpleNamespace(metrics=metrics)


def test_the_mean_of_weights_that_change_late(tmp_path):
    model = one_weight_model()
    with RunFolder(tmp_path, {}).claim() as folder:
        selector = EpochSelector(folder, _measured(MAP=0.5), average_last=3)
        selector.set_model(model)
        for epoch, value in enumerate([1, 1, 4]):
            model.set_weights([np.full((1, 1), value)])
            selector.on_epoch_end(epoch, {"loss": 0.0})
        selector.load_best(model)
    assert model.get_weights()[0].item() == 2


@pytest.mark.parametrize(
    ("loss", "metrics", "error", "message"),
    [
        (np.nan, None, DivergedError, "epoch 3: expected a finite loss.*=nan"),
        (np.inf, None, DivergedError, "finite loss.*learning rate.*=inf"),
        (0, {"MAP": np.nan}, DivergedError, "epoch 3: .* finite MAP.*=nan"),
        (0, {"P@1": 1}, ValueError, r"`monitor` .*, 'P@1'\).*monitor='MAP'"),
    ],
)
def test_an_epoch_without_figures_is_not_saved(
    tmp_path, loss, metrics, error, message
):
    evaluate = _measured(**metrics) if metrics else None
    with RunFolder(tmp_path, {}).claim() as folder:
        selector = EpochSelector(folder, evaluate)
        with pytest.raises(error, match=message):
            selector.on_epoch_end(2, {"loss": loss})
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


@pytest.mark.once
def test_a_full_disk_is_found_before_hdf5_writes(tmp_path, monkeypatch):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
    model.compile("adam")
    save = partial(save_weights, model)
    code, asked = errno.EOPNOTSUPP, []

    def fail(descriptor, start, size):
        asked.append(size)
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "posix_fallocate", fail, raising=False)
    folder = RunFolder(tmp_path, {}, resume=True)
    with folder.claim():
        # A file system that cannot say is tried.
        folder.write("a.weights.h5", save)
        load_weights(model, tmp_path / "a.weights.h5")
        monkeypatch.setattr(model, "save_weights", None)
        code = errno.ENOSPC
        message = r"the same command goes on .* room\. .* No space left"
        with pytest.raises(RunFolderError, match=message):
            folder.write("b.weights.h5", save)
    assert asked[0] > (tmp_path / "a.weights.h5").stat().st_size
    assert not (tmp_path / "b.weights.h5").exists()
