"""Pairwise ranking losses."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_above_zero
from keras_qa.losses.batches import RankingLoss
from keras_qa.losses.batches import check_candidates


@keras.saving.register_keras_serializable(package="keras_qa")
def pairwise_hinge(y_true: Any, y_pred: Any, margin: float = 1.0) -> Any:
    """Hinge loss of a positive's score against the scores of its negatives.

    With `s` the score of the positive and `s_1, ..., s_K` those of the
    negatives, where higher is better, the loss of the group is

        max(0, margin - s + s_1) + ... + max(0, margin - s + s_K)

    A margin of 1 and the scores 2, 1.5 and -3 give
    max(0, 1 - 2 + 1.5) + max(0, 1 - 2 - 3) = 0.5 + 0 = 0.5.

    The paper's equation 7 is max(0, s(q, a) + margin - s(q, a')), for scores
    where lower is better.

    Args:
        y_true: labels `(batch_size, 1 + K)`, such as those of
            `PairwiseBatches`; only columns that are 0 count as negatives, not
            the further right answers and the fillers of `ListwiseBatches`.
            None: all count.
        y_pred: float tensor `(batch_size, 1 + K)`, the positive's score first.
        margin: smallest difference of scores with a loss of 0 (the paper's
            lambda).

    Returns:
        Float tensor `(batch_size,)`.

    Reference: Tay et al., 2018, "Hyperbolic Representation Learning for Fast
    and Efficient Neural Question Answering", section 3.6.1, equation 7.
    """
    y_pred = ops.convert_to_tensor(y_pred)
    losses = ops.relu(margin - y_pred[:, :1] + y_pred[:, 1:])
    if y_true is not None:
        wrong = ops.equal(ops.convert_to_tensor(y_true)[:, 1:], 0)
        losses = ops.where(wrong, losses, 0.0)
    return ops.sum(losses, axis=-1)


@keras.saving.register_keras_serializable(package="keras_qa")
class PairwiseHinge(RankingLoss):
    r"""Pairwise hinge loss over groups of one positive and K negatives.

    $$L = \sum_{(q, a)} \sum_{a'} \max(0, \lambda - s(q, a) + s(q, a'))$$

    See `pairwise_hinge` for an example.

    Args:
        margin: the paper's lambda; positive.
        reduction: reduction of the losses of a batch's groups. The default
            `"sum_over_batch_size"` is their mean, so that the learning rate
            does not depend on the batch size; `"sum"` is equation 7 as
            printed. With optimizers such as AdaGrad, which divide by the size
            of past gradients, the choice matters little.
        name: name of the loss.
        dtype: dtype policy of the loss.

    Raises:
        ValueError: if `margin` is not positive, or a row has one score only.

    Example:
        >>> trainer.compile("adagrad", loss=PairwiseHinge(margin=5.0))

    Reference: Tay et al., 2018, "Hyperbolic Representation Learning for Fast
    and Efficient Neural Question Answering", section 3.6.1, equation 7.
    """

    def __init__(
        self,
        margin: float = 1.0,
        reduction: str = "sum_over_batch_size",
        name: str = "pairwise_hinge",
        dtype: Any = None,
    ):
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        check_above_zero(margin=margin)
        self.margin = margin

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Computes the losses of the groups, before the reduction."""
        check_candidates(y_pred)
        return pairwise_hinge(y_true, y_pred, self.margin)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "margin": self.margin}
