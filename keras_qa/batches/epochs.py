"""Batches in an order that depends on a seed and on the epoch alone."""

from typing import Any

import keras
import numpy as np


class SeededEpochs(keras.utils.PyDataset):
    """Batches in an order that is drawn anew for each epoch.

    The order depends on the seed and on the epoch's number alone, so that a
    resumed training repeats an uninterrupted one. A subclass has `_draw(rng,
    epoch)`, which draws an epoch, and what `keras.utils.PyDataset` asks for.

    Args:
        batch_size: number of examples per batch; the last may have fewer.
        seed: seed of the shuffling, which also depends on the epoch.
        **kwargs: the arguments of `keras.utils.PyDataset`.

    Raises:
        ValueError: if `batch_size` is not positive.
    """

    def __init__(self, batch_size: int, seed: int = 0, **kwargs: Any):
        super().__init__(**kwargs)
        if batch_size < 1:
            raise ValueError(
                "`batch_size` must be positive. "
                f"Received: batch_size={batch_size!r}"
            )
        self.batch_size = batch_size
        self.seed = seed
        self._epoch: int | None = None

    def start_epoch(self, epoch: int) -> None:
        """Draws and shuffles an epoch, unless that is done.

        What `fit_arguments` returns calls it; Keras itself tells data sets
        about the ends of epochs that never began. Without any call, epoch 0 is
        drawn.

        Args:
            epoch: number of the epoch, from 0.
        """
        if epoch != self._epoch:
            self._draw(np.random.default_rng([self.seed, epoch]), epoch)
            self._epoch = epoch

    def fit_arguments(self, **arguments: Any) -> dict[str, Any]:
        """The arguments of `keras.Model.fit` with which epochs are drawn.

        Args:
            **arguments: further arguments of `keras.Model.fit`. With
                `initial_epoch` an epoch draws what it would have drawn without
                interruption.

        Example:
            >>> model.fit(batches, **batches.fit_arguments(epochs=25))
        """
        self.start_epoch(arguments.get("initial_epoch", 0))
        start = keras.callbacks.LambdaCallback(
            on_epoch_begin=lambda epoch, logs: self.start_epoch(epoch)
        )
        callbacks = keras.tree.flatten(arguments.get("callbacks") or [])
        # Keras would shuffle the batches, again and without our seed.
        return arguments | {"callbacks": [start, *callbacks], "shuffle": False}

    def _draw(self, rng: np.random.Generator, epoch: int) -> None:
        raise NotImplementedError

    def _begun(self) -> None:
        if self._epoch is None:
            self.start_epoch(0)
