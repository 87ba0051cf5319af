"""A listwise loss: softmax over the candidates of a question."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_above_zero
from keras_qa.arguments import check_choice
from keras_qa.losses.batches import RankingLoss
from keras_qa.losses.batches import check_candidates

POSITIVES = ("mean", "sum")


@keras.saving.register_keras_serializable(package="keras_qa")
class ListwiseSoftmax(RankingLoss):
    r"""Cross-entropy of the softmax over the candidates of a question.

    With the scores `s` of a question's candidates C, of which R are right,
    and the temperature T, a candidate has the probability

    $$p_i = \frac{\exp(s_i / T)}{\sum_{j \in C} \exp(s_j / T)}$$

    and the loss of the question is, by `positives`,

    - `"mean"`: the mean over R of $-\log p_i$: each right answer is to be
      ranked high. This is the cross-entropy of ListNet's top-one
      probabilities, with a target that is spread evenly over R; it is never
      below log |R|;
    - `"sum"`: $-\log \sum_{i \in R} p_i$: one of them is to be.

    Both are the same for a question with one right answer. A question without
    any costs 0, and counts in the mean over the batch.

    With T = 1 and the scores log 6, log 3 and log 1, the probabilities are .6,
    .3 and .1; if the first and the last are right, the loss is
    -(log .6 + log .1) / 2 = 1.407 by `"mean"`, and -log .7 = 0.357 by `"sum"`.

    Args:
        positives: `"mean"` or `"sum"`.
        temperature: what scores are divided by; positive. Scores that are
            bounded, such as cosines, need one below 1: those from -1 to 1 give
            the best of 30 candidates no more than .21 of the probability.
        reduction: what becomes of the losses of a batch's questions, as
            `PairwiseHinge` has it.
        name: name of the loss.
        dtype: dtype policy of the loss; by default that of Keras, float32.

    Call arguments:
        y_true: `(batch_size, candidates)`, of any dtype: 1 where the candidate
            is right, 0 where it is wrong, and -1 for padding.
        y_pred: float scores `(batch_size, candidates)`, higher is better;
            those of padding may be anything.

    Raises:
        ValueError: if `positives` is unknown, `temperature` not positive, or a
            row has one score only.

    Example:
        >>> trainer = PairwiseTrainer(scorer)
        >>> trainer.compile("adam", loss=ListwiseSoftmax())

    Reference: Cao et al., 2007, "Learning to Rank: From Pairwise Approach to
    Listwise Approach", section 5.
    """

    def __init__(
        self,
        positives: str = "mean",
        temperature: float = 1.0,
        reduction: str = "sum_over_batch_size",
        name: str = "listwise_softmax",
        dtype: Any = None,
    ):
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        check_choice("positives", positives, POSITIVES)
        check_above_zero(temperature=temperature)
        self.positives = positives
        self.temperature = temperature

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The losses of the questions, before the reduction."""
        check_candidates(y_pred)
        right = ops.greater(y_true, 0.5)
        real = ops.greater(y_true, -0.5)
        # What padding scores must not reach the gradient, not even as 0 * NaN.
        scores = ops.where(real, y_pred / self.temperature, 0.0)
        total = log_sum_exp(scores, real)
        if self.positives == "sum":
            chosen = log_sum_exp(scores, right)
        else:
            count = ops.sum(ops.cast(right, scores.dtype), axis=-1)
            chosen = ops.sum(ops.where(right, scores, 0.0), axis=-1)
            chosen = chosen / ops.maximum(count, 1.0)
        return ops.where(ops.any(right, axis=-1), total - chosen, 0.0)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "positives": self.positives,
            "temperature": self.temperature,
        }


def log_sum_exp(scores: Any, mask: Any) -> Any:
    """The log of the sum of exp over a mask, `(batch_size,)`, always finite.

    The greatest score is taken out first, so that no exponential overflows,
    and the logarithm is of 1 at least.

    Args:
        scores: float tensor `(batch_size, candidates)`.
        mask: bool tensor of the same shape.

    Returns:
        Float tensor `(batch_size,)`; arbitrary in rows without a true position.
    """
    lowest = ops.min(scores, axis=-1, keepdims=True)
    greatest = ops.stop_gradient(
        ops.max(ops.where(mask, scores, lowest), axis=-1, keepdims=True)
    )
    shifted = ops.where(mask, scores - greatest, 0.0)
    terms = ops.where(mask, ops.exp(shifted), 0.0)
    total = ops.sum(terms, axis=-1)
    total = ops.where(ops.any(mask, axis=-1), total, 1.0)
    return ops.log(total) + greatest[..., 0]
