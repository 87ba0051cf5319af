"""Fitting a ranker: choose the epoch, keep its weights, stop and resume."""

import csv
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from typing import Protocol

import keras
from tqdm import tqdm

from reproductions.folder import RunFolder

PROGRESS = "progress.json"


class Measured(Protocol):
    """What an epoch is judged by."""

    @property
    def metrics(self) -> dict[str, float]:
        """Figures by name."""


class EpochSelector(keras.callbacks.Callback):
    """After each epoch: evaluate, log, and save a state to resume from.

    The state is the files `epoch-NNNN.weights.h5` (weights and optimizer) and
    `epoch-NNNN.seeds.json` (what dropout draws next, which Keras does not
    save), and then `progress.json`, which names them; a crash before it leaves
    the state of the epoch before. The weights of the best epoch stay until a
    better one comes.

    Args:
        folder: the run's folder.
        evaluate: scores the current model on the data that choose the epoch,
            such as an `Evaluation` of questions.
        monitor: the metric that chooses, higher is better.
        patience: the training ends after so many epochs without a better one;
            0 lets it go on.
    """

    def __init__(
        self,
        folder: RunFolder,
        evaluate: Callable[[], Measured],
        monitor: str = "MAP",
        patience: int = 0,
    ):
        super().__init__()
        if patience < 0:
            raise ValueError(
                "`patience` must not be negative. "
                f"Received: patience={patience}"
            )
        self.folder = folder
        self.evaluate = evaluate
        self.monitor = monitor
        self.patience = patience
        self.history: list[dict[str, float]] = []
        self._started = 0.0

    @property
    def best_epoch(self) -> int:
        """The epoch of the highest metric, the earliest of equal ones."""
        return int(
            max(self.history, key=lambda row: row[self.monitor])["epoch"]
        )

    @property
    def out_of_patience(self) -> bool:
        """Whether the last `patience` epochs brought nothing better."""
        if not self.patience or not self.history:
            return False
        return len(self.history) - self.best_epoch >= self.patience

    def restore(self, model: keras.Model) -> int:
        """Loads the last saved state, if any; returns the epochs done."""
        progress = self.folder.path / PROGRESS
        if not progress.exists():
            return 0
        self.history = json.loads(progress.read_text("utf-8"))
        # Without its variables the optimizer would start anew.
        model.optimizer.build(model.trainable_variables)
        model.load_weights(self._weights(len(self.history)))
        seeds = self._seeds(len(self.history))
        # Runs that older versions began have none.
        if seeds.exists():
            saved = json.loads(seeds.read_text("utf-8"))
            for state, value in zip(_seed_states(model), saved, strict=True):
                state.assign(value)
        return len(self.history)

    def load_best(self, model: keras.Model) -> None:
        """Loads the weights of the best epoch."""
        model.load_weights(self._weights(self.best_epoch))

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts the clock."""
        self._started = time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Evaluates, logs and saves, and ends the training if it is time."""
        seconds = time.perf_counter() - self._started
        metrics = self.evaluate().metrics
        logs = {} if logs is None else logs
        row = {"epoch": epoch + 1, "loss": float(logs["loss"]), **metrics}
        logs.update(metrics)
        self.history.append({**row, "seconds": seconds})
        self._save()
        if self.out_of_patience:
            self.model.stop_training = True
        # Negatives are drawn before an epoch begins for the callbacks; their
        # time counts, that of this evaluation does not.
        self._started = time.perf_counter()

    def _weights(self, epoch: int) -> Path:
        return self.folder.path / f"epoch-{epoch:04d}.weights.h5"

    def _seeds(self, epoch: int) -> Path:
        return self.folder.path / f"epoch-{epoch:04d}.seeds.json"

    def _save(self) -> None:
        last = self._weights(len(self.history))
        seeds = self._seeds(len(self.history))
        self.folder.write(last.name, self.model.save_weights)
        self.folder.write_json(
            seeds.name,
            [
                keras.ops.convert_to_numpy(state).tolist()
                for state in _seed_states(self.model)
            ],
        )
        self.folder.write("history.csv", self._write_history)
        self.folder.write_json(PROGRESS, self.history)
        kept = {last, seeds, self._weights(self.best_epoch)}
        for path in self.folder.path.glob("epoch-*"):
            if path not in kept:
                path.unlink()

    def _write_history(self, path: Path) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.history[0].keys())
            writer.writeheader()
            writer.writerows(self.history)


def _seed_states(model: keras.Model) -> list[keras.Variable]:
    """The states of a model's random generators, such as those of dropout."""
    weights = {id(v) for v in model.weights}
    metrics = {id(v) for v in model.metrics_variables}
    return [v for v in model.variables if id(v) not in weights | metrics]


class EpochSeconds(keras.callbacks.Callback):
    """Takes down the seconds of each epoch."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []
        self._started = 0.0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Starts the clock."""
        self._started = time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Reads the clock."""
        self.seconds.append(time.perf_counter() - self._started)


class ProgressBar(keras.callbacks.Callback):
    """One bar for the whole training, in epochs, with the latest figures."""

    def __init__(
        self,
        epochs: int,
        initial_epoch: int = 0,
        title: str = "",
        monitor: str = "MAP",
    ):
        super().__init__()
        self.monitor = monitor
        self.bar = tqdm(
            total=epochs,
            initial=initial_epoch,
            desc=title,
            unit="epoch",
            miniters=0,
        )

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Shows the step within the epoch; tqdm limits how often."""
        self.bar.set_postfix_str(
            f"step {batch + 1}/{self.params['steps']}", refresh=False
        )
        self.bar.update(0)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Moves on by one epoch."""
        names = ("loss", self.monitor)
        shown = {k: v for k, v in (logs or {}).items() if k in names}
        self.bar.set_postfix(shown, refresh=False)
        self.bar.update()

    def on_train_end(self, logs: Any = None) -> None:
        """Closes the bar."""
        self.bar.close()
