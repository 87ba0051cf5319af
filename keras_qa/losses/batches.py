"""What losses of a question's candidates expect of a batch."""

from typing import Any

import keras
from keras import ops

LOSS_OF_PAIRS = (
    "fit a model to pairs with a loss of one score, such as "
    "`keras.losses.BinaryCrossentropy(from_logits=True)`"
)


def check_candidates(y_pred: Any, remedy: str = LOSS_OF_PAIRS) -> None:
    """Checks that each row has the scores of several candidates.

    Args:
        y_pred: the scores, `(batch_size, candidates)`.
        remedy: what the message says to do with pairs.

    Raises:
        ValueError: if the rows have one score only, as where a model is fitted
            to pairs: such a loss would be 0 or constant, and train nothing.
    """
    if len(y_pred.shape) != 2 or y_pred.shape[1] == 1:
        raise ValueError(
            "`y_pred` must have the scores of a question's candidates in each "
            f"row, as those of `PairwiseTrainer`; {remedy}. "
            f"Received: y_pred.shape={tuple(y_pred.shape)}"
        )


def check_targets(y_true: Any, both: bool) -> None:
    """Checks that targets have the labels next to them that a loss reads.

    Raises:
        ValueError: if they are missing, or nothing reads them.
    """
    if len(y_true.shape) != 2 + both:
        raise ValueError(
            "`y_true` must be the targets of batches with "
            f"`both={both}`, since the loss reads "
            f"{'labels, too' if both else 'no labels'}. "
            f"Received: y_true.shape={tuple(y_true.shape)}"
        )


def check_documents(y_pred: Any) -> None:
    """Checks that the rows, questions, have more than one document.

    Raises:
        ValueError: if they have one each, as where a model is fitted to pairs:
            such a loss would be 0, and train nothing.
    """
    # One question may be left over for the last batch.
    if y_pred.shape[0] != 1:
        check_candidates(y_pred)


class RankingLoss(keras.losses.Loss):
    """The base of all losses; its configuration has the dtype.

    A mask that Keras attaches to `y_pred` changes nothing: labels of -1 say
    what to ignore.
    """

    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Computes the loss, each row's weighted by `sample_weight`."""
        y_true = ops.convert_to_tensor(y_true, dtype=self.dtype)
        # Keras would multiply the losses of rows by a mask of candidates.
        return super().__call__(y_true, ops.copy(y_pred), sample_weight)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "dtype": self.dtype}


class BatchLoss(RankingLoss):
    """A loss with one value for a batch, not one for each row."""

    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Computes the loss.

        Raises:
            ValueError: if `sample_weight` is given: rows have no losses of
                their own that it could weigh.
        """
        if sample_weight is not None:
            raise ValueError(
                "`sample_weight` (and `class_weight`) must be None: "
                f"{type(self).__name__} has one value for a batch. "
                f"Received: sample_weight={sample_weight!r}"
            )
        # Keras would multiply the one value by a mask's rows and add them up.
        y_true, y_pred = (
            ops.convert_to_tensor(x, dtype=self.dtype) for x in (y_true, y_pred)
        )
        return self.call(y_true, y_pred)
