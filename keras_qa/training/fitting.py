"""Fitting of a model with a choice of the best epoch and resumption."""

import sys
import time
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

import keras
from tqdm import tqdm

from keras_qa import hosts
from keras_qa.arguments import check_positive
from keras_qa.batches.pairs import EpochBatches
from keras_qa.progress import in_terminal
from keras_qa.training.epoch_selection import EpochSelector
from keras_qa.training.epoch_selection import Measured
from keras_qa.training.run_folder import RunFolder

# Seconds between the lines within an epoch.
LINE_SECONDS = 300.0


def fit_best_epoch(
    model: keras.Model,
    batches: EpochBatches,
    folder: RunFolder,
    evaluate: Callable[[], Measured],
    epochs: int,
    *,
    monitor: str = "MAP",
    patience: int = 0,
    average_last: int = 0,
    title: str = "",
    shown: str = "",
    callbacks: Sequence[keras.callbacks.Callback] = (),
) -> EpochSelector:
    """Fits a model and gives it the weights of its best epoch, or a mean.

    After each epoch the model is evaluated and its state saved, so that an
    interrupted training can be resumed by the same call.

    Args:
        model: the compiled model.
        batches: the training data.
        folder: the run's folder, for states, history and progress.
        evaluate: evaluates the current model on the development data, for
            example with `keras_qa.evaluate`.
        epochs: number of epochs, including those done before.
        monitor: the metric that chooses the epoch; higher is better.
        patience: the training ends after this number of epochs without a
            better one; 0 runs all epochs.
        average_last: the model gets the mean of the weights of this number of
            last epochs; 0 gives it those of the best epoch.
        title: title of the progress bar or lines.
        shown: the metric that the progress shows; `monitor` if empty.
        callbacks: further callbacks, called before the evaluation.

    Returns:
        The selector, with `best_epoch` and the `history` of all epochs.

    Raises:
        RunFolderError: if a saved state is damaged, or cannot be written.
        ValueError: if `epochs` is not positive or below the number done, or
            see `EpochSelector`.
        DivergedError: if the loss or a metric is not finite.

    Example:
        >>> scorer = CorpusScorer(model, corpus)
        >>> run = RunFolder("run", {"seed": 1}, resume=True)
        >>> def measure():
        ...     return evaluate(dev, scorer.rank(corpus.index(dev)))
        >>> with run.claim():
        ...     best = fit_best_epoch(model, batches, run, measure, epochs=2)
    """
    check_positive(epochs=epochs)
    selector = EpochSelector(folder, evaluate, monitor, patience, average_last)
    done = selector.restore(model)
    if done > epochs:
        raise ValueError(
            f"`epochs` must be at least the {done} that {folder.path} holds. "
            f"Received: epochs={epochs}"
        )
    progress = EpochProgress(epochs, done, title, shown or monitor)
    arguments = batches.fit_arguments(
        epochs=epochs,
        initial_epoch=epochs if selector.out_of_patience else done,
        callbacks=[*callbacks, selector, progress],
        verbose=0,
    )
    model.fit(batches.feed(), **arguments)
    selector.load_best(model)
    return selector


class EpochProgress(keras.callbacks.Callback):
    """A progress bar of epochs; without a terminal, a line per epoch.

    Within an epoch there is a line every five minutes, so that a log file shows
    how far a long training is.

    Args:
        epochs: number of epochs of the training.
        initial_epoch: number of epochs done before.
        title: the start of the bar or the line.
        monitor: the metric that is shown in addition to the loss.

    Attributes:
        seconds: the duration of each epoch in seconds, with its evaluation.
    """

    def __init__(
        self,
        epochs: int,
        initial_epoch: int = 0,
        title: str = "",
        monitor: str = "MAP",
    ):
        super().__init__()
        self.epochs = epochs
        self.title = title
        self.monitor = monitor
        self.seconds: list[float] = []
        self._started = self._printed = 0.0
        self._epoch = ""
        self._bar = tqdm(
            total=epochs,
            initial=initial_epoch,
            desc=title,
            unit="epoch",
            miniters=0,
            disable=not (hosts.is_first() and in_terminal()),
        )

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Starts the clock."""
        self._started = self._printed = time.perf_counter()
        self._epoch = f"epoch {epoch + 1}/{self.epochs}"

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Shows the step within the epoch; tqdm limits the updates."""
        step = f"step {batch + 1}/{self.params['steps']}"
        self._bar.set_postfix_str(step, refresh=False)
        self._bar.update(0)
        now = time.perf_counter()
        if now - self._printed >= LINE_SECONDS:
            self._printed = now
            self._print(f"{step}, {now - self._started:.0f} s")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Updates the bar, or prints the line of the epoch."""
        self.seconds.append(time.perf_counter() - self._started)
        names = ("loss", self.monitor)
        shown = {k: v for k, v in (logs or {}).items() if k in names}
        self._bar.set_postfix(shown, refresh=False)
        self._bar.update()
        figures = ", ".join(f"{k} {v:.4f}" for k, v in shown.items())
        self._print(f"{figures}, {self.seconds[-1]:.1f} s")

    def on_train_end(self, logs: Any = None) -> None:
        """Closes the bar."""
        self._bar.close()

    def _print(self, figures: str) -> None:
        """Prints a line where there is no bar."""
        if self._bar.disable and hosts.is_first():
            print(f"{self.title}: {self._epoch}, {figures}", file=sys.stderr)
