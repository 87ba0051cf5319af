"""States of a training that were damaged: an error that names the file."""

import json
import resource
import shutil
import subprocess
from contextlib import contextmanager
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_qa.errors import RunFolderError
from keras_qa.training.epoch_selection import EpochSelector
from keras_qa.training.run_folder import RunFolder

X, Y = np.ones((4, 3), "float32"), np.ones((4, 1), "float32")


def trainer(units=2):
    keras.utils.set_random_seed(1)
    layers = [
        keras.layers.Dense(units),
        keras.layers.Dropout(0.5),
        keras.layers.Dense(1),
    ]
    model = keras.Sequential([keras.Input((3,)), *layers])
    model.compile(keras.optimizers.Adam(0.1), "mse")
    return model


def selector(folder, qualities=(), monitor="MAP"):
    values = iter(qualities)
    return EpochSelector(
        folder,
        lambda: SimpleNamespace(metrics={"MAP": next(values)}),
        monitor,
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """After three epochs, of which the first was the best."""
    path = tmp_path_factory.mktemp("trained")
    callback = selector(RunFolder(path, {}), [0.9, 0.1, 0.2])
    trainer().fit(X, Y, epochs=3, verbose=0, callbacks=[callback])
    return path


@pytest.fixture
def folder(trained, tmp_path):
    """A copy of its folder."""
    return RunFolder(shutil.copytree(trained, tmp_path / "run"), {})


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.path.iterdir()}


@pytest.mark.once
def test_the_last_and_the_best_state_are_kept(folder):
    assert sorted(contents(folder)) == [
        "epoch-0001.seeds.json",
        "epoch-0001.weights.h5",
        "epoch-0003.seeds.json",
        "epoch-0003.weights.h5",
        "history.csv",
        "progress.json",
    ]
    assert selector(folder).restore(trainer()) == 3


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def text(content):
    return lambda path: path.write_text(content)


def edit(change):
    """Changes the content of a JSON file."""

    def write(path):
        found = json.loads(path.read_text())
        change(found)
        path.write_text(json.dumps(found))

    return write


@pytest.mark.once
@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("epoch-0003.weights.h5", cut, "expected the weights that epoch 3"),
        ("epoch-0003.weights.h5", flip, "expected the weights that epoch 3"),
        (
            "epoch-0003.weights.h5",
            lambda path: path.unlink(),
            "expected the weights that epoch 3 .*Received: no file",
        ),
        ("epoch-0001.weights.h5", cut, "expected the weights that epoch 1"),
        ("epoch-0003.seeds.json", lambda path: path.unlink(), "expected the J"),
        ("epoch-0003.seeds.json", text("[1, 2]"), "expected a list `seeds`"),
        ("epoch-0003.seeds.json", text('{"seeds": ['), "expected the JSON"),
        (
            "epoch-0003.seeds.json",
            edit(lambda found: found["seeds"].append([1, 2])),
            "expected the states of 1 random generators",
        ),
        (
            "epoch-0003.seeds.json",
            edit(lambda found: found.update(seeds=[[[1]]])),
            "expected the states of 1 random generators",
        ),
        ("progress.json", text(""), "expected the JSON that a run"),
        ("progress.json", text("[]"), "expected a list of epochs"),
        ("progress.json", text('{"MAP": 1}'), "expected a list of epochs"),
        ("progress.json", edit(lambda found: found.pop(0)), "a list of epochs"),
        (
            "progress.json",
            edit(lambda found: found[0].update(MAP="high")),
            "a list of epochs",
        ),
    ],
)
def test_a_damaged_state_is_an_error_and_stays(folder, name, damage, message):
    damage(folder.path / name)
    before = contents(folder)
    with pytest.raises(RunFolderError, match=f"{name}: .*{message}"):
        selector(folder).restore(trainer())
    assert contents(folder) == before


@pytest.mark.once
def test_one_epoch_too_many_in_the_history(folder):
    row = json.loads((folder.path / "progress.json").read_text())[-1]
    path = folder.path / "progress.json"
    edit(lambda found: found.append({**row, "epoch": 4}))(path)
    with pytest.raises(RunFolderError, match=r"epoch-0004\.seeds\.json: "):
        selector(folder).restore(trainer())


@pytest.mark.once
def test_a_state_of_another_model_or_metric(folder):
    with pytest.raises(RunFolderError, match="the weights of this model"):
        selector(folder).restore(trainer(units=5))
    with pytest.raises(RunFolderError, match="numbers for MRR, epoch, loss"):
        selector(folder, monitor="MRR").restore(trainer())


@contextmanager
def limited(folder, room):
    """Lets no file get larger than some bytes; the error is the kernel's."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def filled(folder, room):
    """Leaves some bytes of the folder's own disk."""
    filler = folder.path / "filler"
    free = shutil.disk_usage(folder.path).free
    filler.write_bytes(bytes(free - room))
    try:
        yield
    finally:
        filler.unlink()


@pytest.fixture
def disk(tmp_path):
    """A disk of a megabyte, in memory."""
    path = tmp_path / "disk"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk can only be mounted by an administrator")
    yield path
    subprocess.run(["umount", str(path)], check=True)


@pytest.mark.once
@pytest.mark.parametrize("short_of_room", [filled, limited])
def test_no_room_for_the_next_state(folder, request, short_of_room):
    if short_of_room is filled:
        disk = request.getfixturevalue("disk")
        folder = RunFolder(shutil.copytree(folder.path, disk / "run"), {})
    before = contents(folder)
    size = len(before["epoch-0003.weights.h5"])
    callback, model = selector(folder, [0.3, 0.4]), trainer()
    assert callback.restore(model) == 3

    def go_on():
        model.fit(
            X, Y, epochs=4, initial_epoch=3, verbose=0, callbacks=[callback]
        )

    message = r"epoch-0004\.weights\.h5: expected to be able to write it; what"
    with (
        short_of_room(folder, size // 2),
        pytest.raises(RunFolderError, match=message),
    ):
        go_on()
    assert contents(folder) == before
    # Later, in a new process.
    callback, model = selector(folder, [0.3]), trainer()
    assert callback.restore(model) == 3
    go_on()
    assert selector(folder).restore(trainer()) == 4


@pytest.mark.once
@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="a SavedModel is written with the TensorFlow backend",
)
@pytest.mark.parametrize("name", ["model.keras", "saved_model"])
def test_no_room_for_the_model(folder, name):
    model, before = trainer(), contents(folder)
    save = model.save if name.endswith(".keras") else model.export
    message = f"{name}: expected to be able to write it; what"
    with limited(folder, 2000), pytest.raises(RunFolderError, match=message):
        folder.write(name, save)
    assert contents(folder) == before
    folder.write(name, save)
    assert (folder.path / name).exists()
