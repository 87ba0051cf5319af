"""Pairwise training of any scorer: groups of one positive and K negatives."""

from typing import Any

import keras
from keras import ops

from keras_qa.batches import EpochBatches
from keras_qa.batches import PairwiseBatches

__all__ = ["PairwiseBatches", "PairwiseTrainer"]


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
        if isinstance(x, EpochBatches):
            kwargs = x.fit_arguments(**kwargs)
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
