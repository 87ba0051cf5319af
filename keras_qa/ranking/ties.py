"""The order of equal scores: one rule for answers, one for measuring.

**Answers to a user** are in the order in which they were given
(`best_first`): `Ranker.rank`, the commands, both kinds of search and the
exported `rank` signature agree on every order.

**Measures** are computed of answers that are shuffled with a seed
(`shuffled_best_first`, for `keras_qa.ranking.evaluation.evaluate`): the order
of the candidates in a file of a data set, or their names, may tell which one is
right. What a training maximises instead
(`keras_qa.ranking.sequential_dependence`) puts wrong answers first.
"""

import numpy as np


def best_first(scores: np.ndarray, top: int | None = None) -> np.ndarray:
    """Orders scores from the highest to the lowest.

    Args:
        scores: float `(n,)`, higher is better; NaN comes last.
        top: number of places that are kept; None keeps all.

    Returns:
        int64 `(min(n, top),)`, positions in `scores`; of equal scores the
        first comes first.
    """
    return np.argsort(-np.asarray(scores), kind="stable")[:top]


def shuffled_best_first(
    scores: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Orders scores from the highest to the lowest, equal ones at random.

    trec_eval orders equal scores by the names of the documents, the last
    first, so that names which begin with the numbers that are returned keep
    the order.

    Args:
        scores: float `(n,)`, higher is better.
        rng: draws the numbers.

    Returns:
        The order, int64 `(n,)`, positions in `scores`; and the numbers of the
        positions, a permutation of `range(n)`, int64 `(n,)`.
    """
    numbers = rng.permutation(len(scores))
    return np.lexsort((numbers, scores))[::-1], numbers
