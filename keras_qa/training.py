"""Pairwise training of any scorer: groups of one positive and K negatives."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.datasets.packing import RaggedTexts
from keras_qa.datasets.packing import next_size
from keras_qa.datasets.packing import pack

Groups = tuple[np.ndarray, np.ndarray, np.ndarray]


class PairwiseBatches(keras.utils.PyDataset):
    """Batches of groups for `PairwiseTrainer`, drawn and shuffled each epoch.

    A batch is `(inputs, labels)`, with labels `(batch_size, 1 + K)` that are 1
    for the positive, which comes first, and 0 for the negatives. The inputs
    are, with `packed=True`, those of `keras_qa.datasets.packing.pack`, and
    otherwise the padded ids `"question"` `(batch_size, question_length)` and
    `"answers"` `(batch_size, 1 + K, answer_length)`.

    On the JAX backend, which compiles anew for each shape, sizes are rounded
    up to one of few (`keras_qa.datasets.packing.next_size`).

    Args:
        texts: all texts.
        sampler: function of the epoch's number, from 0, that returns indices
            of texts: `(question, positive, negatives)` of the shapes `(N,)`,
            `(N,)` and `(N, K)`. It is called before each epoch, and may use
            the model in training.
        batch_size: number of groups per batch; the last may have fewer.
        seed: seed of the shuffling, which also depends on the epoch.
        packed: whether to pack; the scorer must have `score_packed`.
        **kwargs: the arguments of `keras.utils.PyDataset`.

    Raises:
        ValueError: if `batch_size` is not positive, or the sampler returns
            arrays of other shapes.
    """

    def __init__(
        self,
        texts: RaggedTexts,
        sampler: Callable[[int], Groups],
        batch_size: int,
        seed: int = 0,
        packed: bool = True,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        if batch_size < 1:
            raise ValueError(
                "`batch_size` must be positive. "
                f"Received: batch_size={batch_size}"
            )
        self.texts = texts
        self.sampler = sampler
        self.batch_size = batch_size
        self.seed = seed
        self.packed = packed
        self._round_up = keras.backend.backend() == "jax"
        self._epoch: int | None = None

    def start_epoch(self, epoch: int) -> None:
        """Draws and shuffles the groups of an epoch, unless they are there.

        `PairwiseTrainer.fit` calls it; Keras itself tells data sets about the
        ends of epochs that never began. Without any call, epoch 0 is drawn.

        Args:
            epoch: number of the epoch, from 0.
        """
        if epoch == self._epoch:
            return
        question, positive, negatives = map(np.asarray, self.sampler(epoch))
        size = len(question)
        if positive.shape != (size,) or negatives.shape[:-1] != (size,):
            raise ValueError(
                "`sampler` must return arrays of the shapes (N,), (N,) and "
                f"(N, K). Received: {question.shape}, {positive.shape} and "
                f"{negatives.shape}"
            )
        rng = np.random.default_rng([self.seed, epoch])
        order = rng.permutation(size)
        self._question = question[order]
        self._answers = np.column_stack([positive, negatives])[order]
        self._epoch = epoch

    def __len__(self) -> int:
        if self._epoch is None:
            self.start_epoch(0)
        return -(-len(self._question) // self.batch_size)

    def __getitem__(self, index: int) -> tuple[dict[str, Any], np.ndarray]:
        """The batch at `index`, `(inputs, labels)`."""
        if self._epoch is None:
            self.start_epoch(0)
        chosen = slice(index * self.batch_size, (index + 1) * self.batch_size)
        question, answers = self._question[chosen], self._answers[chosen]
        labels = np.zeros(answers.shape, dtype=np.float32)
        labels[:, 0] = 1
        if self.packed:
            return pack(self.texts, question, answers, self._round_up), labels
        inputs = {
            "question": self._padded(question, index),
            "answers": self._padded(answers, index),
        }
        return inputs, labels

    def _padded(self, indices: np.ndarray, index: int) -> np.ndarray:
        width = int(self.texts.lengths[indices].max(initial=1))
        if self._round_up:
            width = next_size(width)
        else:
            # Keras takes an axis of equal size in the first two batches for
            # constant; so even batches have even widths, odd ones odd widths.
            width += (width + index) % 2
        return self.texts.padded(indices, width)


@keras.saving.register_keras_serializable(package="keras_qa")
class PairwiseTrainer(keras.Model):
    """Trains a scorer of pairs on groups of one positive and K negatives.

    The trainer has no weights of its own: what `fit` learns is in the scorer.
    A scorer that has a method `score_packed` is fed batches that name each
    distinct word once; any other is called on all pairs of the batch.

    Args:
        scorer: model with inputs `{"question", "answer"}` of padded word ids
            and an output `(batch_size, 1)`, higher is better.
        **kwargs: the arguments of `keras.Model`.

    Call arguments:
        inputs: the inputs of a batch of `PairwiseBatches`.
        training: whether the scorer is in training.

    Output:
        Scores `(batch_size, 1 + K)`, the positive's first.

    Raises:
        ValueError: if the batch is packed and the scorer cannot take it.

    Example:
        >>> trainer = PairwiseTrainer(scorer)
        >>> trainer.compile("adagrad", loss=PairwiseHinge(margin=5.0))
        >>> batches = PairwiseBatches(
        ...     texts, sampler, batch_size=200, packed=trainer.supports_packing
        ... )
        >>> trainer.fit(batches, epochs=25)
    """

    def __init__(self, scorer: keras.Model, **kwargs: Any):
        super().__init__(**kwargs)
        self.scorer = scorer
        # All weights are the scorer's, which is built.
        self.built = True
        # TensorFlow's XLA, which Keras picks on a GPU, would compile anew for
        # nearly every batch; for JAX the batches have few shapes.
        self.supports_jit = keras.backend.backend() != "tensorflow"

    @property
    def supports_packing(self) -> bool:
        """Whether batches should be packed for this scorer."""
        return bool(getattr(self.scorer, "supports_packing", False))

    def fit(self, x: Any, **kwargs: Any) -> keras.callbacks.History:
        """Trains as `keras.Model.fit` does, with groups drawn for each epoch.

        Args:
            x: `PairwiseBatches`, or anything else that yields such batches.
            **kwargs: the arguments of `keras.Model.fit`. With `initial_epoch`
                an epoch draws what it would have drawn without interruption.

        Returns:
            The history of losses and metrics.
        """
        if isinstance(x, PairwiseBatches):
            x.start_epoch(kwargs.get("initial_epoch", 0))
            start = keras.callbacks.LambdaCallback(
                on_epoch_begin=lambda epoch, logs: x.start_epoch(epoch)
            )
            callbacks = keras.tree.flatten(kwargs.pop("callbacks", None) or [])
            kwargs["callbacks"] = [start, *callbacks]
            # Keras would shuffle the batches, again and without our seed.
            kwargs["shuffle"] = False
        return super().fit(x, **kwargs)

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """Scores each question with each of its answers."""
        if "words" in inputs:
            if not self.supports_packing:
                raise ValueError(
                    "`inputs` must be padded for this scorer: build the "
                    "PairwiseBatches with packed=False. "
                    f"Received: scorer={self.scorer}"
                )
            return self.scorer.score_packed(inputs)
        answers = inputs["answers"]
        count = ops.shape(answers)[1]
        scores = self.scorer(
            {
                "question": ops.repeat(inputs["question"], count, axis=0),
                "answer": ops.reshape(answers, (-1, ops.shape(answers)[2])),
            },
            training=training,
        )
        return ops.reshape(scores, (-1, count))

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "scorer": keras.saving.serialize_keras_object(self.scorer),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "PairwiseTrainer":
        """Rebuilds the trainer and its scorer."""
        scorer = keras.saving.deserialize_keras_object(config["scorer"])
        return cls(**{**config, "scorer": scorer})
