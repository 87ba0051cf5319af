"""Choice of the best epoch, with saved states to resume from."""

import csv
import errno
import hashlib
import math
import os
import time
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any
from typing import Protocol

import keras
import numpy as np

from keras_qa import hosts
from keras_qa.arguments import check_choice
from keras_qa.arguments import check_not_negative
from keras_qa.errors import DivergedError
from keras_qa.errors import RunFolderError
from keras_qa.files.checks import fits
from keras_qa.files.text_files import shorten
from keras_qa.training.run_folder import HISTORY
from keras_qa.training.run_folder import RunFolder

PROGRESS = "progress.json"

# What HDF5 needs in addition to the numbers: at all, and for each variable.
_FILE_BYTES = 1 << 16
_VARIABLE_BYTES = 1 << 12


class Measured(Protocol):
    """The result of an evaluation."""

    @property
    def metrics(self) -> dict[str, float]:
        """Figures by name."""


class EpochSelector(keras.callbacks.Callback):
    """Evaluates, logs and saves a state to resume from after each epoch.

    The state consists of the files `epoch-NNNN.weights.h5` (weights and
    optimizer) and `epoch-NNNN.seeds.json` (the states of random generators,
    which Keras does not save, and the weights' checksum). `progress.json`,
    the metrics of all epochs, is written last: a crash before leaves the state
    of the previous epoch. The states of the last and the best epoch are kept.

    Args:
        folder: the run's folder.
        evaluate: evaluates the current model on the development data, for
            example with `keras_qa.evaluate`.
        monitor: the metric that chooses the epoch, higher is better.
        patience: the training ends after this number of epochs without a
            better one; 0 runs all epochs.
        average_last: number of last epochs whose weights are averaged, and
            whose states are kept in place of the best one's; 0 takes the
            weights of the best epoch.

    Raises:
        ValueError: if `patience` or `average_last` is negative or no integer;
            after the first epoch, if `evaluate` gives no `monitor`.
        DivergedError: after an epoch, before it is saved, if the loss or a
            metric is not finite.
    """

    def __init__(
        self,
        folder: RunFolder,
        evaluate: Callable[[], Measured],
        monitor: str = "MAP",
        patience: int = 0,
        average_last: int = 0,
    ):
        super().__init__()
        check_not_negative(patience=patience, average_last=average_last)
        self.folder = folder
        self.evaluate = evaluate
        self.monitor = monitor
        self.patience = patience
        self.average_last = average_last
        self.history: list[dict[str, float]] = []
        self._started = 0.0

    @property
    def best_epoch(self) -> int:
        """The epoch of the highest metric, the first of equal ones."""
        return int(
            max(self.history, key=lambda row: row[self.monitor])["epoch"]
        )

    @property
    def chosen_epochs(self) -> list[int]:
        """The best epoch, or those whose weights are averaged."""
        if not self.average_last:
            return [self.best_epoch]
        done = len(self.history)
        return list(range(max(1, done - self.average_last + 1), done + 1))

    @property
    def out_of_patience(self) -> bool:
        """True if the last `patience` epochs were not better."""
        if not self.patience or not self.history:
            return False
        return len(self.history) - self.best_epoch >= self.patience

    def restore(self, model: keras.Model) -> int:
        """Loads the last saved state, if any.

        Returns:
            The number of epochs done.

        Raises:
            RunFolderError: if a file of the state, or the weights of a chosen
                epoch, are missing or changed.
        """
        if not (self.folder.path / PROGRESS).exists():
            return 0
        self.history = self._saved_history()
        done = len(self.history)
        # Check the chosen weights now, not at the end of the training.
        for epoch in self.chosen_epochs:
            self._saved_seeds(epoch)
        seeds, states = self._saved_seeds(done), _seed_states(model)
        if len(seeds) != len(states) or not all(map(_is_state, seeds, states)):
            raise RunFolderError(
                f"{self._seeds(done)}: expected the states of "
                f"{len(states)} random generators. Received: {shorten(seeds)}"
            )
        # Without its variables the optimizer would not load its state.
        model.optimizer.build(model.trainable_variables)
        self._load(model, done)
        for state, value in zip(states, seeds, strict=True):
            state.assign(value)
        self._remove_old()
        return done

    def load_best(self, model: keras.Model) -> None:
        """Loads the weights of the best epoch, or the mean of the last ones.

        The statistics of batch normalisation are weights, too.
        """
        if not self.average_last:
            self._load(model, self.best_epoch)
            return
        first: list[np.ndarray] = []
        totals: dict[int, np.ndarray] = {}
        for done, epoch in enumerate(self.chosen_epochs):
            self._load(model, epoch)
            values = model.get_weights()
            first = first or values
            # What training leaves as it is, such as word vectors, can be large.
            for i, value in enumerate(values):
                if i in totals:
                    totals[i] += value
                elif not np.array_equal(value, first[i]):
                    totals[i] = first[i].astype(np.float64) * done + value
        count = len(self.chosen_epochs)
        model.set_weights(
            [
                totals[i] / count if i in totals else value
                for i, value in enumerate(first)
            ]
        )

    def _load(self, model: keras.Model, epoch: int) -> None:
        load_weights(model, self._weights(epoch))

    def _saved_history(self) -> list[dict[str, float]]:
        """Returns the checked content of `progress.json`."""
        rows = self.folder.read_json(PROGRESS)
        names = sorted({"epoch", "loss", "seconds", self.monitor})
        if not (
            isinstance(rows, list)
            and rows
            and all(_is_epoch(row, i, names) for i, row in enumerate(rows, 1))
            and all(row.keys() == rows[0].keys() for row in rows)
        ):
            raise RunFolderError(
                f"{self.folder.path / PROGRESS}: expected a list of epochs, "
                f"from 1, with numbers for {', '.join(names)}. "
                f"Received: {shorten(rows)}"
            )
        return rows

    def _saved_seeds(self, epoch: int) -> list[Any]:
        """Returns the states of random generators; also checks the weights."""
        seeds, weights = self._seeds(epoch), self._weights(epoch)
        saved = self.folder.read_json(seeds.name)
        if not (
            isinstance(saved, dict)
            and saved.keys() == {"seeds", "weights"}
            and fits(saved["seeds"], list[Any])
            and fits(saved["weights"], str)
        ):
            raise RunFolderError(
                f"{seeds}: expected a list `seeds` and a checksum `weights`. "
                f"Received: {shorten(saved)}"
            )
        found = checksum(weights) if weights.exists() else "no file"
        if found != saved["weights"]:
            raise RunFolderError(
                f"{weights}: expected the weights that epoch {epoch} saved, of "
                f"the BLAKE2 checksum {saved['weights']:.80}; the run cannot "
                f"go on without them. Received: {found}"
            )
        return saved["seeds"]

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts the clock."""
        self._started = time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Evaluates, logs and saves, and ends the training out of patience."""
        seconds = time.perf_counter() - self._started
        logs = {} if logs is None else logs
        row = {"epoch": epoch + 1, "loss": float(logs["loss"])}
        _check_finite(row)
        metrics = self.evaluate().metrics
        row |= metrics
        check_choice("monitor", self.monitor, tuple(row))
        _check_finite(row)
        logs.update(metrics)
        self.history.append({**row, "seconds": seconds})
        self._save()
        if self.out_of_patience:
            self.model.stop_training = True
        # The time of an epoch includes drawing its negatives, which precedes
        # `on_epoch_begin`, but not the evaluation.
        self._started = time.perf_counter()

    def _weights(self, epoch: int) -> Path:
        return self.folder.path / f"epoch-{epoch:04d}.weights.h5"

    def _seeds(self, epoch: int) -> Path:
        return self.folder.path / f"epoch-{epoch:04d}.seeds.json"

    def _save(self) -> None:
        done = len(self.history)
        save = partial(save_weights, self.model)
        self.folder.write(self._weights(done).name, save)
        self.folder.write_json(
            self._seeds(done).name,
            {
                "seeds": [
                    keras.ops.convert_to_numpy(state).tolist()
                    for state in _seed_states(self.model)
                ],
                "weights": checksum(self._weights(done)),
            },
        )
        self.folder.write(HISTORY, self._write_history)
        self.folder.write_json(PROGRESS, self.history)
        self._remove_old()

    def _remove_old(self) -> None:
        """Deletes the states of all but the last and the chosen epochs."""
        kept = {
            name(epoch)
            for name in (self._weights, self._seeds)
            for epoch in (len(self.history), *self.chosen_epochs)
        }
        if not hosts.is_first():
            return
        for path in self.folder.path.glob("epoch-*"):
            if path not in kept:
                path.unlink()

    def _write_history(self, path: Path) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.history[0].keys())
            writer.writeheader()
            writer.writerows(self.history)


def save_weights(model: keras.Model, path: Path) -> None:
    """Saves the weights and the optimizer's state, if there is room for them.

    HDF5 ends the process by a segmentation fault where it cannot write what it
    has buffered, hence room is looked for before.

    Raises:
        OSError: if there is none.
    """
    optimizer = model.optimizer.variables if model.optimizer else []
    # Numbers of 64 bits under float64; no others have more than 32.
    needed = _FILE_BYTES + sum(
        _VARIABLE_BYTES
        + (8 if "64" in variable.dtype else 4) * math.prod(variable.shape)
        for variable in (*model.variables, *optimizer)
    )
    with path.open("wb") as file:
        _reserve(file.fileno(), needed)
    # This replaces the empty file.
    model.save_weights(path)


def _reserve(descriptor: int, size: int) -> None:
    """Raises an OSError if a disk or a quota has no room for a file."""
    # macOS has no such function, and some file systems refuse it.
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, 0, size)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise


def load_weights(model: keras.Model, path: Path) -> None:
    """Loads the weights that a run has saved.

    Raises:
        RunFolderError: if the file is damaged, or of another model.
    """
    try:
        model.load_weights(path)
    # Keras and h5py raise various errors for bad files.
    except Exception as error:
        raise RunFolderError(
            f"{path}: expected the weights of this model. "
            f"Received: {shorten(str(error))}"
        ) from error


def _check_finite(row: Mapping[str, float]) -> None:
    for name, value in row.items():
        if not math.isfinite(value):
            raise DivergedError(
                f"epoch {row['epoch']}: expected a finite {name}. Try a lower "
                "learning rate, or clip gradients, `global_clipnorm` of the "
                f"optimizer. Received: {name}={value}"
            )


def _is_epoch(row: Any, number: int, names: Sequence[str]) -> bool:
    """Returns True if a value is the row of an epoch."""
    return (
        fits(row, dict[str, float])
        and row.keys() >= set(names)
        and row["epoch"] == number
    )


def _is_state(seed: Any, state: keras.Variable) -> bool:
    """Returns True if a random generator's variable can take a value."""
    most = np.iinfo(state.dtype)
    return (
        fits(seed, list[int])
        and np.shape(seed) == tuple(state.shape)
        and all(most.min <= number <= most.max for number in seed)
    )


def checksum(path: Path) -> str:
    """Returns 32 hexadecimal digits of the BLAKE2b hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def _seed_states(model: keras.Model) -> list[keras.Variable]:
    """Returns the states of random generators, such as those of dropout."""
    weights = {id(v) for v in model.weights}
    metrics = {id(v) for v in model.metrics_variables}
    return [v for v in model.variables if id(v) not in weights | metrics]
