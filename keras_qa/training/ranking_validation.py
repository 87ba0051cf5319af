"""Evaluation of rankings after each epoch of `keras.Model.fit`."""

from collections.abc import Callable
from typing import Any

import keras

from keras_qa.training.epoch_selection import Measured


class RankingValidation(keras.callbacks.Callback):
    """Adds ranking measures to the logs of each epoch of `keras.Model.fit`.

    It works with every model and trainer, and with all measures and grades of
    `keras_qa.evaluate`; the metrics of `keras_qa.metrics` need rows of
    candidates. `EarlyStopping` and `ModelCheckpoint` find the measures in the
    logs if they come after it in the list of callbacks, and are told by
    `mode="max"` that higher is better.

    Args:
        evaluate: evaluates the current model on the development data, for
            example with `keras_qa.evaluate`.
        prefix: comes before the names of the measures, which are in lower
            case: `val_map`, `val_ndcg@10`.

    Example:
        >>> def measure():
        ...     scores = score_pairs(model, corpus.texts, *indexed.pairs())
        ...     return evaluate(dev, indexed.split(scores))
        >>> validation = RankingValidation(measure)
        >>> stop = keras.callbacks.EarlyStopping("val_map", mode="max")
        >>> callbacks = [validation, stop]
        >>> model.fit(
        ...     batches.feed(),
        ...     **batches.fit_arguments(epochs=50, callbacks=callbacks),
        ... )
    """

    def __init__(self, evaluate: Callable[[], Measured], prefix: str = "val_"):
        super().__init__()
        self.evaluate = evaluate
        self.prefix = prefix

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Evaluates the model and adds the measures to the logs."""
        if logs is not None:
            logs.update(
                (f"{self.prefix}{name.lower()}", value)
                for name, value in self.evaluate().metrics.items()
            )
