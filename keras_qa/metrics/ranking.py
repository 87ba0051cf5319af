"""Measures of the order of each question's candidates."""

import math
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.losses.batches import check_candidates


class RankingMetric(keras.metrics.Mean):
    """The mean of a measure over questions; the base of the others.

    Each row is a question with its candidates, as `PairwiseTrainer` scores
    them. A question without a right candidate does not count, as in
    `keras_qa.ranking.evaluation.evaluate`. Of candidates with equal scores the
    wrong ones come first, so that a constant score never looks good; `evaluate`
    orders these at random.

    `keras.callbacks.EarlyStopping(monitor="val_map")` and `ModelCheckpoint`
    know that higher is better.

    Args:
        name: name of the metric.
        dtype: dtype of the mean; by default that of Keras.

    Call arguments:
        y_true: `(batch_size, candidates)`, of any dtype: 0 for wrong
            candidates, 1 or a higher grade for right ones, -1 for padding; or
            `(batch_size, candidates, 2)`, targets and these labels, as batches
            with `targets` and `both=True` have them.
        y_pred: float scores `(batch_size, candidates)`, higher is better;
            those of padding may be anything.
        sample_weight: weights of the questions, `(batch_size,)`.

    Raises:
        ValueError: if the rows have one candidate only, as where a model is
            fitted to pairs, or `sample_weight` has weights of candidates.
    """

    def __init__(self, name: str, dtype: Any = None):
        super().__init__(name=name, dtype=dtype)
        # What Keras's callbacks read.
        self._direction = "up"

    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Adds the questions of a batch to the mean."""
        y_pred = ops.cast(y_pred, self.dtype)
        check_candidates(
            y_pred,
            "for a model that is fitted to pairs take the callback "
            "`RankingValidation`",
        )
        y_true = ops.cast(y_true, self.dtype)
        # The scores of a teacher are no labels.
        labels = y_true[..., 1] if len(y_true.shape) == 3 else y_true
        grades = _best_first(labels, y_pred)
        weight = ops.cast(ops.any(grades > 0, axis=1), self.dtype)
        if sample_weight is not None:
            weights = ops.cast(sample_weight, self.dtype)
            if any(size not in (1, None) for size in weights.shape[1:]):
                raise ValueError(
                    "`sample_weight` must be one weight for each question, "
                    "`(batch_size,)`. Received: sample_weight of the shape "
                    f"{tuple(weights.shape)}"
                )
            weight = weight * ops.reshape(weights, (-1,))
        return super().update_state(self.measure(grades), weight)

    def measure(self, grades: Any) -> Any:
        """The measure of each question.

        Args:
            grades: `(batch_size, candidates)`, the grades of the candidates,
                best score first; padding is last and 0.

        Returns:
            Float `(batch_size,)`; anything finite where no grade is above 0.
        """
        raise NotImplementedError


@keras.saving.register_keras_serializable(package="keras_qa")
class MeanAveragePrecision(RankingMetric):
    """The mean of the precisions at the ranks of the right candidates (MAP).

    With right candidates at the ranks 1 and 3 it is (1/1 + 2/3) / 2.

    Args:
        name: see `RankingMetric`.
        dtype: see `RankingMetric`.

    Call arguments:
        y_true, y_pred, sample_weight: see `RankingMetric`.

    Example:
        >>> metric = MeanAveragePrecision()
        >>> metric.update_state([[1, 0, 1]], [[3.0, 2.0, 1.0]])
        >>> metric.result()
        0.8333333

    Reference: Manning et al., 2008, "Introduction to Information Retrieval",
    equation 8.8.
    """

    def __init__(self, name: str = "map", dtype: Any = None):
        super().__init__(name, dtype)

    def measure(self, grades: Any) -> Any:
        """The average precision of each question, `(batch_size,)`."""
        right = _right(grades)
        precisions = ops.cumsum(right, axis=1) / _ranks(right)
        return ops.sum(precisions * right, axis=1) / _count(right)


@keras.saving.register_keras_serializable(package="keras_qa")
class MeanReciprocalRank(RankingMetric):
    """The mean of 1 / rank of the first right candidate (MRR).

    Args:
        name: see `RankingMetric`.
        dtype: see `RankingMetric`.

    Call arguments:
        y_true, y_pred, sample_weight: see `RankingMetric`.
    """

    def __init__(self, name: str = "mrr", dtype: Any = None):
        super().__init__(name, dtype)

    def measure(self, grades: Any) -> Any:
        """The reciprocal rank of each question, `(batch_size,)`."""
        right = _right(grades)
        return ops.max(right / _ranks(right), axis=1)


class _CutMetric(RankingMetric):
    """A measure of the first k candidates."""

    def __init__(self, k: int, name: str, dtype: Any = None):
        check_positive(k=k)
        super().__init__(name, dtype)
        self.k = k

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {**super().get_config(), "k": self.k}


@keras.saving.register_keras_serializable(package="keras_qa")
class PrecisionAt(_CutMetric):
    """The share of right candidates among the first k (P@k).

    Args:
        k: number of candidates; those that a question lacks count as wrong.
        name: see `RankingMetric`; by default `p@` and k.
        dtype: see `RankingMetric`.

    Call arguments:
        y_true, y_pred, sample_weight: see `RankingMetric`.
    """

    def __init__(self, k: int = 1, name: str | None = None, dtype: Any = None):
        super().__init__(k, name or f"p@{k}", dtype)

    def measure(self, grades: Any) -> Any:
        """The precision of each question, `(batch_size,)`."""
        return ops.sum(_right(grades)[:, : self.k], axis=1) / self.k


@keras.saving.register_keras_serializable(package="keras_qa")
class RecallAt(_CutMetric):
    """The share of a question's right candidates that are among the first k.

    Args:
        k: number of candidates.
        name: see `RankingMetric`; by default `recall@` and k.
        dtype: see `RankingMetric`.

    Call arguments:
        y_true, y_pred, sample_weight: see `RankingMetric`.
    """

    def __init__(self, k: int = 5, name: str | None = None, dtype: Any = None):
        super().__init__(k, name or f"recall@{k}", dtype)

    def measure(self, grades: Any) -> Any:
        """The recall of each question, `(batch_size,)`."""
        right = _right(grades)
        return ops.sum(right[:, : self.k], axis=1) / _count(right)


@keras.saving.register_keras_serializable(package="keras_qa")
class NDCG(_CutMetric):
    r"""The normalized discounted cumulative gain of the first k (nDCG@k).

    With the grades g of the candidates, best score first,

    $$\mathrm{DCG} = \sum_{i=1}^{k} \frac{g_i}{\log_2(i + 1)}$$

    is divided by the highest value that another order gives. The gain is
    linear, as in trec_eval.

    Args:
        k: number of candidates.
        name: see `RankingMetric`; by default `ndcg@` and k.
        dtype: see `RankingMetric`.

    Call arguments:
        y_true, y_pred, sample_weight: see `RankingMetric`.

    Reference: Järvelin and Kekäläinen, 2002, "Cumulated Gain-Based Evaluation
    of IR Techniques".
    """

    def __init__(self, k: int = 10, name: str | None = None, dtype: Any = None):
        super().__init__(k, name or f"ndcg@{k}", dtype)

    def measure(self, grades: Any) -> Any:
        """The gain of each question, `(batch_size,)`."""
        discount = math.log(2.0) / ops.log(_ranks(grades) + 1)

        def gain(ordered: Any) -> Any:
            return ops.sum((ordered * discount)[:, : self.k], axis=1)

        best = gain(-ops.sort(-grades, axis=1))
        return gain(grades) / ops.where(best > 0, best, 1.0)


def _best_first(grades: Any, scores: Any) -> Any:
    """Grades in the order of scores, `(batch_size, candidates)`.

    Wrong candidates precede right ones of equal score, NaN is the lowest score,
    and padding is last.
    """
    worst_first = ops.argsort(grades, axis=1)
    grades = ops.take_along_axis(grades, worst_first, axis=1)
    scores = ops.take_along_axis(scores, worst_first, axis=1)
    scores = ops.where(ops.isnan(scores), -float("inf"), scores)
    # Only padding has an infinite key. Sorting is stable on every backend.
    keys = ops.where(grades < 0, float("inf"), ops.nan_to_num(-scores))
    order = ops.argsort(keys, axis=1)
    return ops.maximum(ops.take_along_axis(grades, order, axis=1), 0.0)


def _right(grades: Any) -> Any:
    return ops.cast(grades > 0, grades.dtype)


def _count(right: Any) -> Any:
    """The number of right candidates, at least 1, `(batch_size,)`."""
    return ops.maximum(ops.sum(right, axis=1), 1.0)


def _ranks(values: Any) -> Any:
    """The ranks 1, 2, ... of the columns."""
    return ops.cumsum(ops.ones_like(values), axis=1)
