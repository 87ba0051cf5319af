"""Answering a question from a collection, by a search and a second ranker."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.ranker import Ranker
from keras_qa.ranking.ties import best_first
from keras_qa.search.index import AnswerIndex
from keras_qa.search.rankings import Ranking

Found = tuple[np.ndarray, np.ndarray]


class FirstStage(Protocol):
    """A search in all answers."""

    def find(self, question: str, top: int) -> Found:
        """The numbers, int64, and scores of the `top` answers, best first."""


class IndexStage:
    """Finds the best answers by the model of an index.

    Args:
        index: the index.
        effort: see `AnswerIndex.search`.
    """

    def __init__(self, index: AnswerIndex, effort: int | None = None):
        self._index = index
        self._effort = effort

    def find(self, question: str, top: int) -> Found:
        """See `FirstStage.find`."""
        vector = self._index.encode(question)
        return self._index.search(vector, top, self._effort)


class BM25Stage:
    """Finds the best answers by BM25, of those that share a question's words.

    Of answers that differ only in case and white space, the first is found.

    Args:
        texts: the texts of all answers.
        tokenizer: one of `tokenizer.TOKENIZERS`.
        show_progress: True draws a progress bar while the texts are indexed.
        unread: numbers of answers that are not found, as `AnswerIndex.unread`.
    """

    def __init__(
        self,
        texts: Iterable[str],
        tokenizer: str = "word",
        show_progress: bool = True,
        unread: Iterable[int] = (),
    ):
        # Imported here, so that a search by the index starts without BM25.
        from keras_qa.ranking.mining import CandidateMiner

        self._rows: list[int] = []
        self._unread = frozenset(map(int, unread))
        self._miner = CandidateMiner(
            self._distinct(texts),
            tokenizer=tokenizer,
            show_progress=show_progress,
        )

    def find(self, question: str, top: int) -> Found:
        """See `FirstStage.find`."""
        scores = self._miner.scores(question)
        numbers = [i for i in best_first(scores, top) if scores[i] > 0]
        rows = np.array([self._rows[i] for i in numbers], np.int64)
        return rows, scores[numbers].astype(np.float64)

    def _distinct(self, texts: Iterable[str]) -> Iterable[str]:
        from keras_qa.text.normal_forms import normal_text

        seen = set()
        for row, text in enumerate(texts):
            known = normal_text(text)
            if row not in self._unread and known not in seen:
                seen.add(known)
                self._rows.append(row)
                yield text


@dataclass(frozen=True)
class Times:
    """The time that a question took.

    Attributes:
        search: seconds of the first stage, including the question's encoding.
        rerank: seconds of the second stage, including the final ordering.
        read: seconds of reading the texts of the answers.
    """

    search: float
    rerank: float
    read: float


def answer_question(
    index: AnswerIndex,
    question: str,
    top: int,
    first: FirstStage,
    second: Ranker | None = None,
    depth: int = 100,
    question_id: str = "1",
) -> tuple[Ranking, Times]:
    """The best answers to a question.

    Args:
        index: holds the answers.
        question: the question.
        top: number of answers.
        first: the first stage, which finds answers.
        second: ranks the answers that `first` found; None keeps their order.
        depth: number of answers that `first` finds for `second`, raised to
            `top` if smaller.
        question_id: the question's identifier.

    Returns:
        The ranking and the time that it took.

    Raises:
        SearchError: if `top` or `depth` is less than 1.
    """
    for name, value in (("top", top), ("depth", depth)):
        if value < 1:
            raise SearchError(
                f"`{name}` must be positive. Received: {name}={value}"
            )
    start = time.perf_counter()
    wanted = top if second is None else max(top, depth)
    rows, scores = first.find(question, wanted)
    searched = time.perf_counter()
    answers = index.answers(rows)
    read = time.perf_counter()
    if second is not None and answers:
        scores = second.scores(question, [a.text for a in answers])
    ranked = Ranking.of_candidates(
        *(question_id, question, answers, scores, top),
        reading=(second or index.ranker).reading,
    )
    end = time.perf_counter()
    return ranked, Times(searched - start, end - read, read - searched)
