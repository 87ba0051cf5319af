"""Search in several indexes at once."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.ranking.ties import best_first
from keras_qa.search.index import AnswerIndex


@dataclass(frozen=True)
class Hit:
    """An answer that was found.

    Attributes:
        index: the number of its index, from 0.
        row: its number in that index.
        score: the model's score.
    """

    index: int
    row: int
    score: float


def search_indexes(
    indexes: Sequence[AnswerIndex],
    question: str,
    top: int,
    effort: int | None = None,
) -> list[Hit]:
    """The best answers to a question in all of several indexes.

    Each index is searched in a thread of its own, and their best answers are
    ordered by score. The result is that of one index of all answers if the
    indexes are flat, since scores do not depend on the other answers.

    Args:
        indexes: indexes of the same model, at least one.
        question: the question.
        top: number of answers.
        effort: see `AnswerIndex.search`.

    Returns:
        The answers, best first; those of equal score in the order of the
        indexes.

    Raises:
        SearchError: if there is no index, they are of several models, or
            `AnswerIndex.search` refuses.

    Example:
        >>> indexes = [AnswerIndex("index") for _ in range(2)]
        >>> for hit in search_indexes(indexes, "who wrote emma", 10):
        ...     (answer,) = indexes[hit.index].answers([hit.row])
    """
    if not indexes:
        raise SearchError("`indexes` must not be empty. Received: none")
    models = sorted({index.model_sha256[:16] for index in indexes})
    if len(models) > 1:
        raise SearchError(
            "`indexes` must be of one model, whose scores can be compared. "
            f"Received: models with the digests {', '.join(models)}"
        )
    encoded = indexes[0].encode(question)

    def search(index: AnswerIndex) -> tuple[np.ndarray, np.ndarray]:
        return index.search(encoded, top, effort)

    with ThreadPoolExecutor(len(indexes)) as pool:
        found = list(pool.map(search, indexes))
    hits = [
        Hit(number, int(row), float(score))
        for number, (rows, scores) in enumerate(found)
        for row, score in zip(rows, scores, strict=True)
    ]
    order = best_first(np.array([hit.score for hit in hits]), top)
    return [hits[place] for place in order]
