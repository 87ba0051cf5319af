"""Losses by which a model learns the scores of another one, its teacher."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_above_zero
from keras_qa.losses.batches import RankingLoss
from keras_qa.losses.batches import check_candidates
from keras_qa.losses.batches import check_targets
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.losses.listwise import log_sum_exp


@keras.saving.register_keras_serializable(package="keras_qa")
class MarginMSE(RankingLoss):
    r"""Mean squared error of the margins between right and wrong answers.

    With the scores $s_0$ of a right answer and $s_1, ..., s_K$ of wrong ones,
    and those of the teacher $t_0, ..., t_K$, the loss of the group is

    $$L = \frac{1}{K} \sum_{k = 1}^K ((s_0 - s_k) - (t_0 - t_k))^2$$

    so that the model may score on another level than its teacher. With the
    scores 2, 1 and 0 and the teacher's 3, 1 and 2, it is
    ((1 - 2)^2 + (2 - 1)^2) / 2 = 1.

    Args:
        reduction: what becomes of the losses of a batch's groups, as
            `PairwiseHinge` has it.
        name: name of the loss.
        dtype: dtype policy of the loss; by default that of Keras, float32.

    Call arguments:
        y_true: scores of the teacher, float `(batch_size, 1 + K)`, that of the
            right answer first; NaN leaves an answer out, and its group if it
            is the right one.
        y_pred: float scores `(batch_size, 1 + K)`; those that are left out
            may be anything.

    Example:
        >>> trainer = PairwiseTrainer(model)
        >>> trainer.compile("adam", loss=MarginMSE())
        >>> batches = PairwiseBatches(
        ...     corpus.texts,
        ...     sampler.sample,
        ...     batch_size=20,
        ...     targets=TeacherScores(teacher, corpus),
        ... )
        >>> trainer.fit(batches, epochs=10)

    Reference: Hofstätter et al., 2020, "Improving Efficient Neural Ranking
    Models with Cross-Architecture Knowledge Distillation", section 3.2.
    """

    def __init__(
        self,
        reduction: str = "sum_over_batch_size",
        name: str = "margin_mse",
        dtype: Any = None,
    ):
        super().__init__(name=name, reduction=reduction, dtype=dtype)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The losses of the groups, before the reduction."""
        check_candidates(y_pred)
        check_targets(y_true, both=False)
        real = ops.logical_not(ops.isnan(y_true))
        real = ops.logical_and(real[:, 1:], real[:, :1])
        # What is left out must not reach the gradient, not even as 0 * NaN.
        student = ops.where(real, y_pred[:, :1] - y_pred[:, 1:], 0.0)
        teacher = ops.where(real, y_true[:, :1] - y_true[:, 1:], 0.0)
        count = ops.sum(ops.cast(real, student.dtype), axis=-1)
        total = ops.sum(ops.square(student - teacher), axis=-1)
        return total / ops.maximum(count, 1.0)


@keras.saving.register_keras_serializable(package="keras_qa")
class DistillationKL(RankingLoss):
    r"""Divergence of a model's softmax over candidates from its teacher's.

    With the scores s of a question's candidates, those t of the teacher, and
    the temperature T,

    $$L = T^2 \sum_i q_i (\log q_i - \log p_i), \quad
    p_i = \frac{\exp(s_i / T)}{\sum_j \exp(s_j / T)}, \quad
    q_i = \frac{\exp(t_i / T)}{\sum_j \exp(t_j / T)}$$

    T² makes up for gradients that are smaller by it. With `label_weight` w the
    loss is (1 - w) times this and w times that of `ListwiseSoftmax`, which
    reads labels.

    With T = 1, the scores 0 and 0, and the teacher's log 3 and 0, it is
    .75 log(.75 / .5) + .25 log(.25 / .5) = 0.131.

    Args:
        temperature: what the scores of both are divided by; positive.
        label_weight: w, from 0 to 1.
        reduction: what becomes of the losses of a batch's questions, as
            `PairwiseHinge` has it.
        name: name of the loss.
        dtype: dtype policy of the loss; by default that of Keras, float32.

    Call arguments:
        y_true: scores of the teacher, float `(batch_size, candidates)`, NaN
            for padding. If `label_weight` is positive, `(batch_size,
            candidates, 2)`: scores, and labels as `ListwiseSoftmax` has them.
        y_pred: float scores `(batch_size, candidates)`, higher is better;
            those of padding may be anything.

    Raises:
        ValueError: if `temperature` is not positive or `label_weight` out of
            range, or in a call if labels are missing, or not read.

    Example:
        >>> trainer = PairwiseTrainer(model)
        >>> trainer.compile("adam", loss=DistillationKL())
        >>> batches = ListwiseBatches(
        ...     corpus.texts,
        ...     questions,
        ...     candidates,
        ...     labels,
        ...     batch_size=20,
        ...     targets=TeacherScores(teacher, corpus),
        ... )
        >>> trainer.fit(batches, epochs=10)

    Reference: Hinton et al., 2015, "Distilling the Knowledge in a Neural
    Network", section 2, over the candidates of a question.
    """

    def __init__(
        self,
        temperature: float = 1.0,
        label_weight: float = 0.0,
        reduction: str = "sum_over_batch_size",
        name: str = "distillation_kl",
        dtype: Any = None,
    ):
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        check_above_zero(temperature=temperature)
        if not 0 <= label_weight <= 1:
            raise ValueError(
                "`label_weight` must be from 0 to 1. "
                f"Received: label_weight={label_weight!r}"
            )
        self.temperature = temperature
        self.label_weight = label_weight
        self._labels = ListwiseSoftmax(reduction="none", dtype=dtype)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The losses of the questions, before the reduction."""
        check_candidates(y_pred)
        check_targets(y_true, both=self.label_weight > 0)
        if not self.label_weight:
            return self._divergence(y_true, y_pred)
        return (1 - self.label_weight) * self._divergence(
            y_true[..., 0], y_pred
        ) + self.label_weight * self._labels(y_true[..., 1], y_pred)

    def _divergence(self, y_true: Any, y_pred: Any) -> Any:
        real = ops.logical_not(ops.isnan(y_true))
        student = ops.where(real, y_pred / self.temperature, 0.0)
        teacher = ops.where(real, y_true / self.temperature, 0.0)
        log_p = student - log_sum_exp(student, real)[:, None]
        log_q = teacher - log_sum_exp(teacher, real)[:, None]
        terms = ops.where(real, ops.exp(log_q) * (log_q - log_p), 0.0)
        return self.temperature**2 * ops.sum(terms, axis=-1)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "temperature": self.temperature,
            "label_weight": self.label_weight,
        }
