"""Scores of several rankers added up, question by question."""

from collections.abc import Sequence

import numpy as np

from keras_qa.text.readable import UNREAD_SCORE


def fuse_scores(
    rankings: Sequence[Sequence[np.ndarray]],
    weights: Sequence[float] | None = None,
) -> list[np.ndarray]:
    """The weighted sum of the z-scores of several rankers.

        score = Σ_k w_k (s_k - mean_k) / deviation_k

    with the mean and the deviation of ranker k over the candidates of the
    question that it reads. One that it does not read (`UNREAD_SCORE` of
    `keras_qa.text.readable`) gets the lowest of these z-scores, less 1. A
    ranker that scores them all alike adds nothing. No label is read.

    Args:
        rankings: of each ranker, for each question the scores of its
            candidates, as `keras_qa.ranking.evaluation.evaluate` takes them.
        weights: w_k; 1 each without them.

    Returns:
        For each question the sums, float64 `(candidates,)`.

    Raises:
        ValueError: if there is no ranker, there are not as many weights, or
            rankers differ in the numbers of questions or candidates, or a
            score is not finite.

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
    if len(factors) != len(rankings) or not np.isfinite(factors).all():
        raise ValueError(
            "`weights` must be one for each of "
            f"{len(rankings)} rankings, and finite. "
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
    if not np.isfinite(scores).all():
        raise ValueError(f"`rankings` must be finite. Received: {scores}")
    read = scores > UNREAD_SCORE
    found = np.zeros_like(scores)
    if not read.any():
        return found
    known = scores[read]
    if known.min() < known.max():
        found[read] = (known - known.mean()) / known.std()
    found[~read] = found[read].min() - 1
    return found
