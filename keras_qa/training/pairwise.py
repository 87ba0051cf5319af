"""Training of a scorer on groups: a positive with K negatives, or a list."""

from collections.abc import Callable
from functools import partial
from typing import Any

import keras
from keras import ops

from keras_qa.batches.listwise import ListwiseBatches
from keras_qa.batches.pairs import EpochBatches
from keras_qa.batches.pairs import GroupBatches
from keras_qa.devices import divide
from keras_qa.devices import divide_batch
from keras_qa.losses.distillation import DistillationKL
from keras_qa.losses.distillation import MarginMSE
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.metrics.ranking import RankingMetric

READ_LABELS = (PairwiseHinge, ListwiseSoftmax, RankingMetric)
READ_TARGETS = (MarginMSE, DistillationKL)

__all__ = ["HardestNegativeTrainer", "PairwiseTrainer"]


@keras.saving.register_keras_serializable(package="keras_qa")
class PairwiseTrainer(keras.Model):
    """Trains a scorer of pairs on groups of a question and some answers.

    The groups are of one positive and K negatives (`PairwiseBatches`, with
    `PairwiseHinge`), or of a question's candidates (`ListwiseBatches`, with
    `ListwiseSoftmax`).

    The trainer has no weights in addition to those of the scorer. If
    `supports_packing` of the scorer is true, its method `score_packed` scores
    packed batches, which contain each distinct word once; any scorer can be
    called on all pairs of a batch.

    Args:
        scorer: model with inputs `{"question", "answer"}` of padded word ids
            and an output `(batch_size, 1)`, higher is better; it may have
            further inputs, the features of the batches.
        **kwargs: the arguments of `keras.Model`.

    Call arguments:
        inputs: the inputs of a batch of `PairwiseBatches` or
            `ListwiseBatches`.
        training: whether the scorer is in training.

    Output:
        Scores `(batch_size, answers)`, in the order of the batch's answers.

    Raises:
        ValueError: if the batch is packed and the scorer does not support it.

    Example:
        >>> trainer = PairwiseTrainer(scorer)
        >>> trainer.compile("adagrad", loss=PairwiseHinge(margin=5.0))
        >>> batches = PairwiseBatches(
        ...     texts, sampler.sample, 200, packed=trainer.supports_packing
        ... )
        >>> trainer.fit(batches, epochs=25)
    """

    def __init__(self, scorer: keras.Model, **kwargs: Any):
        # By the policy, `compile` scales the loss of float16.
        kwargs.setdefault("dtype", scorer.dtype_policy)
        super().__init__(**kwargs)
        self.scorer = scorer
        # The names of the compiled losses and metrics that do.
        self._reads_labels: list[str] = []
        self._reads_targets: list[str] = []
        # All weights are those of the scorer, which is built.
        self.built = True
        # XLA, which Keras uses with TensorFlow on a GPU, would compile nearly
        # every batch; for JAX the batches have few shapes.
        self.supports_jit = keras.backend.backend() != "tensorflow"

    @property
    def supports_packing(self) -> bool:
        """True if batches should be packed for this scorer."""
        return bool(getattr(self.scorer, "supports_packing", False))

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        loss_weights: Any = None,
        metrics: Any = None,
        **kwargs: Any,
    ) -> None:
        """Configures training as `keras.Model.compile` does."""
        compiled = keras.tree.flatten(
            [loss, metrics, kwargs.get("weighted_metrics")]
        )
        self._reads_labels, self._reads_targets = (
            [type(one).__name__ for one in compiled if isinstance(one, kinds)]
            for kinds in (READ_LABELS, READ_TARGETS)
        )
        super().compile(optimizer, loss, loss_weights, metrics, **kwargs)

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compiles a saved trainer, which Keras does not if `compile` is own.

        Args:
            config: what `get_compile_config` returned.
        """
        self.compile(**keras.saving.deserialize_keras_object(config))
        self.optimizer.build(self.trainable_variables)

    def fit(
        self, x: Any = None, *args: Any, **kwargs: Any
    ) -> keras.callbacks.History:
        """Trains as `keras.Model.fit` does, with groups drawn for each epoch.

        Args:
            x: `EpochBatches`, or any other data of such batches.
            *args: the arguments of `keras.Model.fit` after `x`.
            **kwargs: the arguments of `keras.Model.fit`, such as
                `initial_epoch` to resume a training. An epoch is a draw of
                all batches; `steps_per_epoch` would end it within one, and
                begin the next there.

        Returns:
            The history of losses and metrics.

        Raises:
            ValueError: if a loss or metric reads labels and the batches have
                targets in their place, or reads targets that they lack; if
                `class_weight` is given, since a row is a question and has no
                class.
        """
        if kwargs.get("class_weight") is not None:
            raise ValueError(
                "`class_weight` must be None: a row is a question's answers, "
                "which `sample_weight` can weigh. "
                f"Received: class_weight={kwargs['class_weight']!r}"
            )
        self._check_labels(kwargs.get("validation_data"))
        if isinstance(x, EpochBatches):
            self._check_labels(x)
            kwargs, x = x.fit_arguments(**kwargs), x.feed()
        return super().fit(x, *args, **kwargs)

    def evaluate(self, x: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Measures as `keras.Model.evaluate` does.

        Args:
            x: batches, as `fit` takes them.
            *args: the arguments of `keras.Model.evaluate` after `x`.
            **kwargs: the arguments of `keras.Model.evaluate`.

        Returns:
            The loss and the metrics.

        Raises:
            ValueError: as `fit`, of the batches.
        """
        self._check_labels(x)
        return super().evaluate(x, *args, **kwargs)

    def predict(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Scores the groups of all batches.

        Args:
            x: `PairwiseBatches`, or inputs of one width.
            *args: the arguments of `keras.Model.predict` after `x`.
            **kwargs: the arguments of `keras.Model.predict`.

        Returns:
            Scores `(groups, answers)`.

        Raises:
            ValueError: if `x` are `ListwiseBatches`, whose questions differ in
                their numbers of candidates.
        """
        if isinstance(x, ListwiseBatches):
            raise ValueError(
                "`x` must have as many answers in all batches, which lists of "
                "candidates have not: `keras_qa.score_pairs` scores pairs, "
                "`predict_on_batch` one batch. Received: ListwiseBatches"
            )
        return super().predict(x, *args, **kwargs)

    def _check_labels(self, batches: Any) -> None:
        # Any other data have what their owner says.
        if not isinstance(batches, GroupBatches):
            return
        targets = batches.targets is not None
        if self._reads_targets and not targets:
            raise ValueError(
                f"{', '.join(self._reads_targets)} read a teacher's scores, "
                "but the batches have labels in their place: build them with "
                "`targets`, such as `TeacherScores`"
            )
        if self._reads_labels and targets and not getattr(batches, "both", 0):
            raise ValueError(
                f"{', '.join(self._reads_labels)} read labels, but the batches "
                "have `targets` in their place: take the loss `MarginMSE` or "
                "`DistillationKL`, and for metrics `ListwiseBatches` with "
                "`both=True`, or the callback `RankingValidation`"
            )

    def train_step(self, *arguments: Any) -> Any:
        """Keras's step, divided among the devices of `use_devices`."""
        return super().train_step(*divide_batch(arguments))

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """Scores each question with each of its answers."""
        if "words" in inputs:
            if not self.supports_packing:
                raise ValueError(
                    "`inputs` must be padded for this scorer: build the "
                    "PairwiseBatches with packed=False. "
                    f"Received: scorer={self.scorer!r}"
                )
            return self.scorer.score_packed(inputs)
        pairs = dict(inputs)
        question, answers = pairs.pop("question"), pairs.pop("answers")
        count = ops.shape(answers)[1]
        pairs = {
            "question": ops.repeat(question, count, axis=0),
            "answer": _flat(answers),
            **{name: _flat(features) for name, features in pairs.items()},
        }
        if training:
            pairs = divide(pairs)
        scores = self.scorer(pairs, training=training)
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


@keras.saving.register_keras_serializable(package="keras_qa")
class HardestNegativeTrainer(PairwiseTrainer):
    """Trains a scorer on the hardest of the K negatives of each question.

    Only the negative with the highest score under the current weights is used
    for training. With `PairwiseHinge` the loss is

        max(0, margin - s(q, a) + max_k s(q, a_k))     (equation 7)

    The K scores are computed in inference mode and without gradient, and each
    distinct negative is encoded once per part of the batch. The positive and
    the hardest negative are then scored in training mode.

    Args:
        scorer: model with inputs `{"question", "answer"}` of padded word ids
            and an output `(batch_size, 1)`, higher is better. It computes
            `head({"question": question_encoder(question), "answer":
            answer_encoder(answer)})` with three models of these names. The
            encoders return tensors or structures of tensors.
        **kwargs: the arguments of `keras.Model`.

    Call arguments:
        inputs: the inputs of a batch of `HardestNegativeBatches`. Without
            `"parts"`, as with K = 1, all negatives are scored.
        training: whether the scorer is in training when it scores the hardest
            negative.

    Output:
        Scores `(batch_size, 2)`, the positive's first.

    Example:
        >>> trainer = HardestNegativeTrainer(scorer)
        >>> sgd = keras.optimizers.SGD(1.1)
        >>> trainer.compile(sgd, loss=PairwiseHinge(margin=0.2))
        >>> batches = HardestNegativeBatches(texts, sampler, batch_size=20)
        >>> trainer.fit(batches, epochs=25)

    Reference: Tan et al., 2016, "Improved Representation Learning for Question
    Answer Matching", section 3.1, equation 7.
    """

    @property
    def supports_packing(self) -> bool:
        """False: texts are encoded as padded ids."""
        return False

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """Scores each question with its positive and its hardest negative."""
        if "parts" in inputs:
            hardest = ops.argmax(self.mine(inputs), axis=1)
            answers = inputs["answers"]
            size, count, length = ops.shape(answers)
            rows = ops.arange(size) * count + 1 + ops.cast(hardest, "int32")
            hardest = ops.take(ops.reshape(answers, (-1, length)), rows, axis=0)
            answers = ops.stack([answers[:, 0], hardest], axis=1)
            inputs = {"question": inputs["question"], "answers": answers}
        return super().call(inputs, training)

    def mine(self, inputs: Any) -> Any:
        """Scores all negatives, in inference mode and without gradient.

        Args:
            inputs: the inputs of a batch of `HardestNegativeBatches`.

        Returns:
            Float tensor `(batch_size, K)`.
        """
        questions = _frozen(self.scorer.question_encoder)(inputs["question"])
        encode = _frozen(self.scorer.answer_encoder)
        compare = _frozen(self.scorer.head)
        scores = []
        for part in inputs["parts"]:
            question, row = part["pairs"][:, 0], part["pairs"][:, 1]
            pairs = {
                "question": keras.tree.map_structure(
                    partial(ops.take, indices=question, axis=0), questions
                ),
                "answer": keras.tree.map_structure(
                    partial(ops.take, indices=row, axis=0),
                    encode(part["texts"]),
                ),
            }
            scores.append(compare(pairs)[:, 0])
        return ops.take(ops.concatenate(scores), inputs["choice"])


def _flat(x: Any) -> Any:
    """What belongs to the pairs of groups, `(batch_size, answers, ...)`."""
    return ops.reshape(x, (-1, *ops.shape(x)[2:]))


def _frozen(model: keras.Model) -> Callable[[Any], Any]:
    """Returns a function that calls a model in inference without gradient.

    The gradient is stopped at the weights, not at the outputs, so that backends
    such as PyTorch record no operations.
    """
    weights = [
        [ops.stop_gradient(variable) for variable in variables]
        for variables in (
            model.trainable_variables,
            model.non_trainable_variables,
        )
    ]

    def call(inputs: Any) -> Any:
        outputs, _ = model.stateless_call(*weights, inputs, training=False)
        return outputs

    return call
