"""Scores of several rankers added up, question by question."""

from collections.abc import Sequence

import numpy as np


def fuse_scores(
    rankings: Sequence[Sequence[np.ndarray]],
    weights: Sequence[float] | None = None,
) -> list[np.ndarray]:
    """The weighted sum of the z-scores of several rankers.

        score = Σ_k w_k (s_k - mean_k) / deviation_k

    with the mean and the deviation of ranker k over the candidates of the
    question. A ranker that scores them all alike adds nothing. No label is
    read.

    Args:
        rankings: of each ranker, for each question the scores of its
            candidates, as `keras_qa.ranking.evaluation.evaluate` takes them.
        weights: w_k; 1 each without them.

    Returns:
        For each question the sums, float64 `(candidates,)`.

    Raises:
        ValueError: if there is no ranker, there are not as many weights, or
            rankers differ in the numbers of questions or candidates.

    Example:
        >>> fused = fuse_scores([[np.array([1, 3])], [np.array([0.2, 0.4])]])
        >>> fused[0].round(3)
        [-2., 2.]
    """
    sizes = {tuple(np.size(s) for s in ranking) for ranking in rankings}
    if len(sizes) != 1:
        raise ValueError(
            "`rankings` must be of the same questions and candidates, and at "
            f"least one. Received: {len(rankings)} rankings, of "
            f"{sorted({len(size) for size in sizes})} questions and "
            f"{sorted({sum(size) for size in sizes})} candidates"
        )
    factors = [1.0] * len(rankings) if weights is None else list(weights)
    if len(factors) != len(rankings):
        raise ValueError(
            f"`weights` must be one for each of {len(rankings)} rankings. "
            f"Received: weights={weights!r}"
        )
    return [
        np.sum(
            [w * _z_scores(s) for w, s in zip(factors, scores, strict=True)],
            axis=0,
        )
        for scores in zip(*rankings, strict=True)
    ]


def _z_scores(scores: np.ndarray) -> np.ndarray:
    """The scores less their mean, by their deviation; 0 if they are equal."""
    scores = np.asarray(scores, np.float64).reshape(-1)
    if not scores.size or scores.min() == scores.max():
        return np.zeros_like(scores)
    return (scores - scores.mean()) / scores.std()
