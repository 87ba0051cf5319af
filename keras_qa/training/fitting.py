"""Fitting a model for as many epochs as help, in a folder that can resume."""

import sys
import time
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

import keras
from tqdm import tqdm

from keras_qa.batches.pairs import EpochBatches
from keras_qa.progress import in_terminal
from keras_qa.training.epoch_selection import EpochSelector
from keras_qa.training.epoch_selection import Measured
from keras_qa.training.run_folder import RunFolder


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

    After each epoch the model is evaluated and its state saved, so that a
    training that was interrupted goes on when it is started again.

    Args:
        model: the compiled model.
        batches: what to fit it on.
        folder: where states, history and progress are kept.
        evaluate: measures the model on the data that choose the epoch, such as
            by `keras_qa.evaluate`.
        epochs: number of epochs, those done before included.
        monitor: the metric that chooses the epoch; higher is better.
        patience: the training ends after this many epochs without a better
            one; 0 runs all epochs.
        average_last: the weights are the mean of those of this many last
            epochs; 0 takes those of the best epoch.
        title: what the progress is called after.
        shown: the metric that the progress shows; `monitor` if empty.
        callbacks: further callbacks, called before the evaluation.

    Returns:
        The selector, with `best_epoch` and the `history` of all epochs.

    Raises:
        RunFolderError: if a saved state is damaged, or cannot be written.

    Example:
        >>> scorer = CorpusScorer(model, corpus)
        >>> run = RunFolder("run", {"seed": 1}, resume=True)
        >>> def measure():
        ...     return evaluate(dev, scorer.rank(corpus.index(dev)))
        >>> with run.claim():
        ...     best = fit_best_epoch(model, batches, run, measure, epochs=2)
    """
    selector = EpochSelector(folder, evaluate, monitor, patience, average_last)
    done = selector.restore(model)
    progress = EpochProgress(epochs, done, title, shown or monitor)
    model.fit(
        batches,
        **batches.fit_arguments(
            epochs=epochs,
            initial_epoch=epochs if selector.out_of_patience else done,
            callbacks=[*callbacks, selector, progress],
            verbose=0,
        ),
    )
    selector.load_best(model)
    return selector


class EpochProgress(keras.callbacks.Callback):
    """A bar of a training's epochs; where no terminal is, a line for each.

    Args:
        epochs: number of epochs of the training.
        initial_epoch: number of epochs done before.
        title: what the bar or the line begins with.
        monitor: the metric that is shown in addition to the loss.

    Attributes:
        seconds: the seconds of each epoch, evaluation included.
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
        self._started = 0.0
        self._bar = tqdm(
            total=epochs,
            initial=initial_epoch,
            desc=title,
            unit="epoch",
            miniters=0,
            disable=not in_terminal(),
        )

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Starts the clock."""
        self._started = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Shows the step within the epoch; tqdm limits how often."""
        self._bar.set_postfix_str(
            f"step {batch + 1}/{self.params['steps']}", refresh=False
        )
        self._bar.update(0)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Moves on by one epoch, or prints its line."""
        self.seconds.append(time.perf_counter() - self._started)
        names = ("loss", self.monitor)
        shown = {k: v for k, v in (logs or {}).items() if k in names}
        self._bar.set_postfix(shown, refresh=False)
        self._bar.update()
        if self._bar.disable:
            figures = ", ".join(f"{k} {v:.4f}" for k, v in shown.items())
            print(
                f"{self.title}: epoch {epoch + 1}/{self.epochs}, {figures}, "
                f"{self.seconds[-1]:.1f} s",
                file=sys.stderr,
            )

    def on_train_end(self, logs: Any = None) -> None:
        """Closes the bar."""
        self._bar.close()
