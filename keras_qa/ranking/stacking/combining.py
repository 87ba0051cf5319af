"""Scores of several rankers combined as a fit to labels says."""

from dataclasses import dataclass

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.ranking.logistic import check_labelled
from keras_qa.ranking.logistic import listwise_regression
from keras_qa.ranking.logistic import logistic_regression
from keras_qa.ranking.stacking.boosting import Trees
from keras_qa.ranking.stacking.boosting import boosted_trees

METHODS = ("logistic", "listwise", "boosted")
"""Logistic regression on pairs, as "+Cnt" of Yang et al. (2015) and "+LR" of Yu
et al. (2014) have it; the same that compares a question's candidates; gradient
boosted trees, as Wang and Nyberg (2015) have them."""


@dataclass(frozen=True)
class WeightedSum:
    """Σ_k w_k (s_k - mean_k) / deviation_k + c, for scores s_k.

    Attributes:
        mean: float64 `(rankers,)`.
        deviation: float64 `(rankers,)`.
        weights: the w_k, float64 `(rankers,)`.
        bias: c.
    """

    mean: np.ndarray
    deviation: np.ndarray
    weights: np.ndarray
    bias: float

    def scores(self, scores: np.ndarray) -> np.ndarray:
        """Combines scores of pairs.

        Args:
            scores: float array `(pairs, rankers)`.

        Returns:
            float64 array `(pairs,)`.
        """
        x = (np.asarray(scores, np.float64) - self.mean) / self.deviation
        return x @ self.weights + self.bias


def fit_stacker(
    scores: np.ndarray,
    labels: np.ndarray,
    groups: np.ndarray | None = None,
    method: str = "logistic",
    *,
    l2: float = 1.0,
    trees: int = 100,
    depth: int = 3,
    learning_rate: float = 0.1,
    seed: int = 0,
) -> WeightedSum | Trees:
    """Fits a combination of the scores of several rankers.

    Scores of trained rankers must be of questions that they were not trained
    on: they know the others by heart, and would get all the weight.
    `out_of_fold_scores` gives such scores of all training questions.

    Args:
        scores: float array `(pairs, rankers)`; features of pairs may be
            columns of it.
        labels: 0 and 1, `(pairs,)`; values above 1 count as 1.
        groups: number or name of the question of each pair, `(pairs,)`; only
            `"listwise"` needs them.
        method: one of `METHODS`.
        l2: strength of the regularisation of both regressions, of
            standardised scores.
        trees: see `keras_qa.ranking.stacking.boosting.boosted_trees`.
        depth: see there.
        learning_rate: see there.
        seed: see there.

    Returns:
        An object whose method `scores` combines scores `(pairs, rankers)` of
        any pairs. `FusionRanker` and `BoostedRanker` `assign` it.

    Raises:
        ImportError: if trees are to be boosted without scikit-learn.
        ValueError: if an argument is out of range, the numbers of pairs
            differ, scores are not finite, or all labels are equal.

    Example:
        >>> scores = np.array([[0.1, 3.0], [0.9, 2.0], [0.2, 1.0]])
        >>> fitted = fit_stacker(scores, [0, 1, 0])
        >>> fitted.scores(scores) > 0
        [False, True, False]
    """
    check_choice("method", method, METHODS)
    x, right = check_labelled(scores, labels)
    if method == "boosted":
        return boosted_trees(x, right, trees, depth, learning_rate, seed)
    constant = x.min(axis=0) == x.max(axis=0)
    mean, deviation = x.mean(axis=0), np.where(constant, 1.0, x.std(axis=0))
    x, bias = (x - mean) / deviation, 0.0
    if method == "logistic":
        weights, bias = logistic_regression(x, right, l2)
    else:
        if groups is None or np.shape(groups) != right.shape:
            raise ValueError(
                "`groups` must have a number for each pair. "
                f"Received: {np.size(groups) if groups is not None else None} "
                f"for {len(right)} pairs"
            )
        order = np.argsort(groups, kind="stable")
        _, starts = np.unique(np.asarray(groups)[order], return_index=True)
        labels_of = np.split(right[order], starts[1:])
        weights = listwise_regression(x[order], labels_of, l2)
    return WeightedSum(mean, deviation, weights, bias)
