"""Targets: the readers of the files in run folders."""

import fcntl
import io
import json
import tempfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from devtools.fuzz import structures
from devtools.fuzz.structures import Case
from devtools.fuzz.target import Target
from keras_qa.errors import DatasetError
from keras_qa.errors import OwnedError
from keras_qa.errors import RankerError
from keras_qa.errors import RunFolderError
from keras_qa.export.keras_folder import run_reading
from keras_qa.files import locks
from keras_qa.files.locks import OwnerFile
from keras_qa.training.run_folder import RunFolder
from reproductions.by_question import question_metric
from reproductions.harness.example_pairs import ranked_ids
from reproductions.learning_curves import labels
from reproductions.learning_curves import read_history
from reproductions.records.json_lines import RecordError
from reproductions.records.runs import read_metrics

_SETTINGS = {"model": "qa-lstm", "seed": 1, "settings": {"units": 3, "a": "b"}}
_OWNER = {"host": "here", "pid": 7, "started": "now", "command": "python a"}
_METRICS = {
    "paper": "hyperqa",
    "model": "hyperqa",
    "dataset": "sample",
    "split": "test",
    "seed": 1,
    "recipe": "best",
    "vectors": ["skipgram"],
    "settings": {
        "max_question_length": 5,
        "max_answer_length": None,
    },
    "overrides": {},
    "metrics": {"MAP": 0.5, "MRR": 0.25},
    "tokenizer": "word",
}
_HISTORY = b"epoch,loss,MAP,seconds\r\n1,0.5,0.25,3\r\n2,0.125,0.5,3\r\n"
_RUN = b"1 Q0 3-a 1 2.5 tag\n1 Q0 4-b 2 -1e-3 tag\n2 Q0 1-c 1 0.0 tag\n"
_QRELS = b"1 0 3-a 1\n1 0 4-b 0\n2 0 1-c 1\n"
_SEEDS, _WEIGHTS = "epoch-0002.seeds.json", "epoch-0002.weights.h5"


def targets() -> list[Target]:
    """The targets of this module."""
    return [
        Target(
            "run settings",
            lambda: {"run/settings.json": _json(_SETTINGS), "run/a": b""},
            lambda folder: RunFolder(folder / "run", _SETTINGS, resume=True),
            (RunFolderError,),
            inputs=6_000,
            structured=structures.json_file("run/settings.json"),
            guided="run/settings.json",
        ),
        Target(
            "run owner",
            lambda: {"running.json": _json(_OWNER)},
            _read_owner,
            (),
            inputs=3_000,
            share=4,  # It waits for a file that is being written.
            structured=structures.json_file("running.json"),
            refuses=False,
        ),
        Target(
            "run progress",
            lambda: {n: _state()[n] for n in ("progress.json", _SEEDS)},
            lambda folder: _restore(folder, {_WEIGHTS: _state()[_WEIGHTS]}),
            (RunFolderError,),
            inputs=2_000,
            structured=structures.json_file("progress.json"),
        ),
        Target(
            "run seeds",
            lambda: {_SEEDS: _state()[_SEEDS]},
            lambda folder: _restore(
                folder, {n: d for n, d in _state().items() if n != _SEEDS}
            ),
            (RunFolderError,),
            inputs=1_000,
            structured=structures.json_file(_SEEDS),
        ),
        Target(
            "run weights",
            lambda: {_WEIGHTS: _state()[_WEIGHTS]},
            _restore_weights,
            (RunFolderError,),
            inputs=500,
            share=40,
        ),
        Target(
            "rbm weights",
            lambda: {"rbm.npz": _arrays()},
            _read_arrays,
            (RunFolderError,),
            inputs=3_000,
        ),
        Target(
            "run history",
            lambda: {"history.csv": _HISTORY},
            lambda folder: read_history(folder, "MAP"),
            (RecordError,),
            inputs=6_000,
            structured=structures.table("history.csv", ","),
            guided="history.csv",
        ),
        Target(
            "run labels",
            lambda: {"settings.json": _json(_SETTINGS)},
            lambda folder: labels([folder]),
            (RecordError,),
            inputs=3_000,
            structured=structures.json_file("settings.json"),
        ),
        Target(
            "run metrics",
            lambda: {"metrics.json": _json(_METRICS)},
            _read_metrics,
            (RecordError, RankerError),
            inputs=6_000,
            structured=structures.json_file("metrics.json"),
            guided="metrics.json",
        ),
        Target(
            "run rankings",
            lambda: {"run.trec": _RUN, "qrels.trec": _QRELS},
            _read_rankings,
            (DatasetError,),
            inputs=6_000,
            structured=structures.table("run.trec", " "),
            guided="run.trec",
        ),
    ]


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=2).encode()


def _read_owner(folder: Path) -> None:
    path = folder / "running.json"
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            # Without waiting for the owner to finish.
            with mock.patch.object(locks, "PATIENCE", 0.0):
                OwnerFile(path).check()
        except OwnedError as error:
            if len(str(error).encode()) > 9_000:
                raise TypeError(f"{error!r}") from None
            return
    raise TypeError("a file without owner")


@cache
def _model() -> Any:
    # Imported here because most targets do not need Keras.
    import keras

    layers = [keras.layers.Dense(2), keras.layers.Dropout(0.5, seed=1)]
    model = keras.Sequential([keras.Input((3,)), *layers])
    model.compile(keras.optimizers.Adam(0.1), "mse")
    return model


def _selector(folder: Path) -> Any:
    from keras_qa.training.epoch_selection import EpochSelector

    return EpochSelector(
        RunFolder(folder, {}), lambda: SimpleNamespace(metrics={"MAP": 0.5})
    )


@cache
def _state() -> Case:
    """The files of a training after two epochs, of which the second is best."""
    model = _model()
    with tempfile.TemporaryDirectory() as name:
        selector = _selector(Path(name))
        metrics = iter([0.25, 0.5])
        selector.evaluate = lambda: SimpleNamespace(
            metrics={"MAP": next(metrics)}
        )
        x, y = np.ones((4, 3), "f4"), np.ones((4, 2), "f4")
        model.fit(x, y, epochs=2, verbose=0, callbacks=[selector])
        names = ("progress.json", _SEEDS, _WEIGHTS)
        return {
            name: (selector.folder.path / name).read_bytes() for name in names
        }


def _restore(folder: Path, others: Case) -> None:
    for name, data in others.items():
        (folder / name).write_bytes(data)
    if _selector(folder).restore(_model()) != 2:
        raise TypeError("not two epochs")


def _restore_weights(folder: Path) -> None:
    from keras_qa.training.epoch_selection import checksum

    # With the right checksum, so that the weights themselves are read.
    seeds = json.loads(_state()[_SEEDS])
    seeds["weights"] = checksum(folder / _WEIGHTS)
    others = {
        "progress.json": _state()["progress.json"],
        _SEEDS: _json(seeds),
    }
    _restore(folder, others)


_SHAPES = {"kernel": (3, 2), "bias": (2,)}


def _arrays() -> bytes:
    file = io.BytesIO()
    arrays = {name: np.ones(shape, "f4") for name, shape in _SHAPES.items()}
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def _read_arrays(folder: Path) -> None:
    import keras

    from reproductions.iam.jump import read_arrays

    read_arrays(
        folder / "rbm.npz",
        [keras.Variable(np.zeros(s), name=n) for n, s in _SHAPES.items()],
    )


def _read_metrics(folder: Path) -> None:
    for name in ("model.keras", "vocabulary.txt"):
        (folder / name).write_bytes(b"")
    read_metrics(folder, "settings")
    run_reading(folder)


def _read_rankings(folder: Path) -> None:
    ranked_ids(folder)
    for value in question_metric(folder, "MAP").values():
        if not 0 <= value <= 1:
            raise TypeError(f"a mean of {value}")
