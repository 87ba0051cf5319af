"""A softmax of each right answer against the wrong ones of a batch."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_above_zero
from keras_qa.losses.batches import BatchLoss
from keras_qa.losses.batches import check_documents
from keras_qa.losses.listwise import log_sum_exp


@keras.saving.register_keras_serializable(package="keras_qa")
class InBatchSoftmax(BatchLoss):
    r"""Cross-entropy of each right answer among the wrong ones of a batch.

    With the scores $s_j$ of a question with the answers of a batch, of which
    R are right and W wrong, and the temperature T, a right answer i costs

    $$-\log \frac{\exp(s_i / T)}{\exp(s_i / T) + \sum_{j \in W} \exp(s_j / T)}$$

    and the loss is the mean over all right answers of all questions of the
    batch. Other than in `ListwiseSoftmax`, right answers do not compete with
    each other. A question without right or without wrong answers costs 0.

    With T = 1, the scores log 6 and log 1 of two right answers and log 3 of a
    wrong one, the loss is -(log(6 / 9) + log(1 / 4)) / 2 = 0.896.

    Args:
        temperature: what scores are divided by; positive. Scores that are
            bounded, such as cosines, need one below 1, or a weight such as the
            `scale` of `SentenceEncoder`.
        name: name of the loss.
        dtype: dtype policy of the loss; by default that of Keras, float32.

    Call arguments:
        y_true: `(questions, answers)`, of any dtype: 1 where the answer is
            right for the question, 0 where it is wrong, and -1 for pairs to
            ignore.
        y_pred: float scores `(questions, answers)`, higher is better.

    Output:
        A scalar.

    Raises:
        ValueError: if `temperature` is not positive, or in a call if each
            question has one answer alone.

    Example:
        >>> trainer = InBatchTrainer(scorer)
        >>> trainer.compile("adam", loss=InBatchSoftmax())

    Reference: Henderson et al., 2017, "Efficient Natural Language Response
    Suggestion for Smart Reply", section 4.4.
    """

    def __init__(
        self,
        temperature: float = 1.0,
        name: str = "in_batch_softmax",
        dtype: Any = None,
    ):
        super().__init__(name=name, dtype=dtype)
        check_above_zero(temperature=temperature)
        self.temperature = temperature

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The mean over the right answers of the batch."""
        check_documents(y_pred)
        right = ops.greater(y_true, 0.5)
        wrong = ops.less(ops.abs(y_true), 0.5)
        # What ignored scores must not reach the gradient.
        scores = ops.where(right | wrong, y_pred / self.temperature, 0.0)
        others = log_sum_exp(scores, wrong)[:, None]
        counted = right & ops.any(wrong, axis=1, keepdims=True)
        above = ops.where(counted, others - scores, 0.0)
        costs = ops.where(counted, ops.softplus(above), 0.0)
        count = ops.sum(ops.cast(right, scores.dtype))
        return ops.sum(costs) / ops.maximum(count, 1.0)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        config = super().get_config()
        # `call` returns a mean, which no reduction changes.
        config.pop("reduction", None)
        return {**config, "temperature": self.temperature}
