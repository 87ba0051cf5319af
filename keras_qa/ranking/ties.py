"""The order of equal scores: one rule for users, another for measures.

**Answers shown to users** keep their given order (`best_first`): `Ranker.rank`,
the commands, both kinds of search and the exported `rank` signature agree.

**Measures** shuffle answers with a seed (`shuffled_best_first`, for
`keras_qa.ranking.evaluation.evaluate`), because the order or the ids of the
candidates in a data set may reveal which one is right. The training objectives
of `keras_qa.ranking.sequential_dependence` put wrong answers first instead.
"""

import numpy as np


def best_first(scores: np.ndarray, top: int | None = None) -> np.ndarray:
    """Orders scores from the highest to the lowest.

    Args:
        scores: float `(n,)`, higher is better; NaN comes last.
        top: number of positions to return; None returns all.

    Returns:
        int64 `(min(n, top),)`, positions in `scores`; positions of equal
        scores are ascending.
    """
    return np.argsort(-np.asarray(scores), kind="stable")[:top]


def shuffled_best_first(
    scores: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Orders scores from the highest to the lowest, equal ones at random.

    trec_eval orders equal scores by descending document id, so that ids which
    begin with the returned numbers reproduce the order.

    Args:
        scores: float `(n,)`, higher is better.
        rng: generator of the numbers.

    Returns:
        The order, positions in `scores`, int64 `(n,)`, and a number for each
        position, a permutation of `range(n)`, int64 `(n,)`.
    """
    numbers = rng.permutation(len(scores))
    return np.lexsort((numbers, scores))[::-1], numbers
