"""Exact and approximate search with FAISS indexes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from keras_qa.ranking.ties import best_first
from keras_qa.search.spaces import Space

# Number of answers, in addition to `top`, whose keys are computed first.
MARGIN = 32
# The smallest number of answers that an approximate index proposes; of
# compressed vectors more, whose order is less sure.
POOLS = {"hnsw": 100, "ivf-pq": 500}
# Number of rows whose keys are computed at a time; bounds the memory.
ROWS = 1 << 14

Rows = Callable[[np.ndarray], np.ndarray]


def exact_search(
    index: Any, space: Space, vectors: Rows, question: np.ndarray, top: int
) -> tuple[np.ndarray, np.ndarray]:
    """The best answers, exactly as float64 orders all of them.

    1. The index gives the `top` + `MARGIN` highest upper bounds of keys.
    2. The keys of these answers are computed in float64. The lowest of the
       best `top` is a threshold that all answers of the result reach.
    3. If the threshold is above the last upper bound, no other answer reaches
       it. Otherwise the index gives all answers whose upper bound reaches the
       threshold, and the keys of these are computed.

    Args:
        index: flat FAISS index of the rows that `space.lift_answers` returns.
        space: how vectors are compared.
        vectors: maps rows `(n,)` of the index to the answers' vectors.
        question: the question's vector, float `(dim,)`.
        top: number of answers.

    Returns:
        Rows, int64 `(k,)`, and their keys, float64 `(k,)`, best first, rows of
        equal keys in ascending order; k is `top`, or the number of answers if
        there are fewer.
    """
    top = min(top, index.ntotal)
    if top == 0:
        return np.zeros(0, np.int64), np.zeros(0)
    lifted = space.lift_question(question)[None]
    bounds, rows = index.search(lifted, min(top + MARGIN, index.ntotal))
    found, keys = _best(space, vectors, question, rows[0], top)
    if len(rows[0]) < index.ntotal and keys[-1] <= bounds[0, -1]:
        below = np.nextafter(np.float32(keys[-1]), np.float32(-np.inf))
        # Repeated, because the conversion to float32 may have rounded up.
        below = np.nextafter(below, np.float32(-np.inf))
        _, _, rows = index.range_search(lifted, float(below))
        found, keys = _best(space, vectors, question, rows, top)
    return found, keys


def approximate_search(
    index: Any,
    space: Space,
    vectors: Rows,
    question: np.ndarray,
    top: int,
    pool: int,
    radius: float,
) -> tuple[np.ndarray, np.ndarray]:
    """The best of the answers that an index of points on a sphere proposes.

    Args:
        index: FAISS index of the rows that `space.answer_places` returns.
        space: how vectors are compared.
        vectors: maps rows `(n,)` of the index to the answers' vectors.
        question: the question's vector, float `(dim,)`.
        top: number of answers.
        pool: number of answers that the index proposes.
        radius: the radius of the sphere.

    Returns:
        Rows and keys as `exact_search` returns them; fewer than `top` if the
        index proposes fewer.
    """
    if index.ntotal == 0:
        return np.zeros(0, np.int64), np.zeros(0)
    place = space.question_place(question, radius)[None]
    _, rows = index.search(place, min(max(pool, top), index.ntotal))
    return _best(space, vectors, question, rows[0][rows[0] >= 0], top)


def _best(
    space: Space,
    vectors: Rows,
    question: np.ndarray,
    rows: np.ndarray,
    top: int,
) -> tuple[np.ndarray, np.ndarray]:
    rows = np.sort(rows)
    keys = np.concatenate(
        [
            np.zeros(0),
            *(
                space.keys(question, vectors(rows[start : start + ROWS]))
                for start in range(0, len(rows), ROWS)
            ),
        ]
    )
    order = best_first(keys, top)
    return rows[order], keys[order]
