"""Batches in an order that depends only on a seed and the epoch."""

import sys
from collections.abc import Iterator
from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_not_negative
from keras_qa.arguments import check_positive

# Batches that TensorFlow keeps ready.
PREFETCHED = 2


class SeededEpochs(keras.utils.PyDataset):
    """Batches in a new order in each epoch.

    The order depends only on the seed and on the number of the epoch, so that a
    resumed training has the batches of an uninterrupted one. A subclass defines
    `_draw(rng, epoch)`, which draws an epoch, and the methods that
    `keras.utils.PyDataset` requires.

    Args:
        batch_size: number of examples per batch; the last may have fewer.
        seed: seed of the shuffling, which also depends on the epoch.
        **kwargs: the arguments of `keras.utils.PyDataset`.

    Raises:
        ValueError: if `batch_size` is not positive, or `seed` negative.
    """

    def __init__(self, batch_size: int, seed: int = 0, **kwargs: Any):
        super().__init__(**kwargs)
        check_positive(batch_size=batch_size)
        check_not_negative(seed=seed)
        self.batch_size = batch_size
        self.seed = seed
        self._epoch: int | None = None

    def start_epoch(self, epoch: int) -> None:
        """Draws an epoch, unless it is the current one.

        A callback from `fit_arguments` calls it, because Keras also calls
        `on_epoch_end` after epochs that never began. Without any call, epoch 0
        is drawn.

        Args:
            epoch: number of the epoch, from 0.
        """
        if epoch != self._epoch:
            self._draw(np.random.default_rng([self.seed, epoch]), epoch)
            self._epoch = epoch

    def fit_arguments(self, **arguments: Any) -> dict[str, Any]:
        """Returns arguments of `keras.Model.fit` that draw each epoch.

        Args:
            **arguments: further arguments of `keras.Model.fit`, such as
                `initial_epoch` to resume a training.

        Example:
            >>> model.fit(batches.feed(), **batches.fit_arguments(epochs=25))
        """
        self.start_epoch(arguments.get("initial_epoch", 0))
        start = keras.callbacks.LambdaCallback(
            on_epoch_begin=lambda epoch, logs: self.start_epoch(epoch)
        )
        callbacks = keras.tree.flatten(arguments.get("callbacks") or [])
        # Keras would shuffle the batches again, without the seed.
        return arguments | {"callbacks": [start, *callbacks], "shuffle": False}

    def feed(self) -> Any:
        """Returns what `keras.Model.fit` reads fastest: itself or a dataset.

        On TensorFlow an epoch of a `PyDataset` can last up to twice as long as
        its steps: a thread tunes the size of a buffer, in pauses that double
        from 10 ms on, and at the end of an epoch TensorFlow 2.21 mostly waits
        for the present pause. The `tf.data.Dataset` that is returned there has
        the same batches and a buffer of fixed size. If batches are made by
        several workers, Keras tunes nothing.

        It draws epoch 0 if none has been drawn: to resume a training, call
        `fit_arguments` before it. The `fit` of the models and trainers of this
        library does both.

        Example:
            >>> model.fit(batches.feed(), **batches.fit_arguments(epochs=25))
        """
        if (
            keras.backend.backend() != "tensorflow"
            or self.workers > 1
            or self.use_multiprocessing
        ):
            return self
        # Keras has imported it.
        tf: Any = sys.modules["tensorflow"]

        def batches() -> Iterator[Any]:
            for i in range(len(self)):
                yield self[i]

        def spec(*arrays: np.ndarray) -> Any:
            """The axes that the first batches share, as Keras does."""
            lengths = zip(*(array.shape[1:] for array in arrays), strict=True)
            shared = [n[0] if len(set(n)) == 1 else None for n in lengths]
            return tf.TensorSpec([None, *shared], arrays[0].dtype)

        first = [self[i] for i in range(min(2, len(self)))]
        dataset = tf.data.Dataset.from_generator(
            batches, output_signature=keras.tree.map_structure(spec, *first)
        )
        dataset = dataset.apply(
            tf.data.experimental.assert_cardinality(len(self))
        )
        options = tf.data.Options()
        options.autotune.enabled = False
        return dataset.prefetch(PREFETCHED).with_options(options)

    def _draw(self, rng: np.random.Generator, epoch: int) -> None:
        raise NotImplementedError

    def _begun(self) -> None:
        if self._epoch is None:
            self.start_epoch(0)
