"""Rankers of texts whose scores are combined by what labels say."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.datasets.dataset import Question
from keras_qa.errors import RankerError
from keras_qa.ranker import Ranker
from keras_qa.ranker import TextScorer
from keras_qa.ranker import rank_by
from keras_qa.ranking.stacking.boosting import Trees
from keras_qa.ranking.stacking.combining import METHODS
from keras_qa.ranking.stacking.combining import WeightedSum
from keras_qa.ranking.stacking.combining import fit_stacker
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.text.reading import TextReading


class Stacker:
    """Ranks by several rankers of texts, whose scores it combines.

    `fit` learns how, from scores of questions that trained rankers have not
    seen. An answer that one of the rankers does not read
    (`keras_qa.text.readable`) has the score `UNREAD_SCORE`, and is not fitted.

    Args:
        rankers: what scores texts, of any vocabularies and tokenizers.
        method: one of `keras_qa.ranking.stacking.combining.METHODS`.
        l2: as for `keras_qa.fit_stacker`.
        trees: as there.
        depth: as there.
        learning_rate: as there.
        seed: as there.

    Attributes:
        fitted: what combines scores, after `fit`; None before.

    Raises:
        ValueError: if there are no rankers, or `method` is unknown.

    Example:
        >>> size = len(vocabulary)
        >>> models = [BM25Ranker(size), WordCountRanker(size)]
        >>> stacker = Stacker([Ranker(one, reading) for one in models])
        >>> stacker = stacker.fit(dev)
        >>> stacker.to_ranker().save("runs/bm25-cnt")

    References: Yang et al., 2015, "WikiQA: A Challenge Dataset for Open-Domain
    Question Answering" ("CNN-Cnt", "PV-Cnt"); Yu et al., 2014, "Deep Learning
    for Answer Sentence Selection"; Wang and Nyberg, 2015, "A Long Short-Term
    Memory Model for Answer Sentence Selection in Question Answering".
    """

    def __init__(
        self,
        rankers: Sequence[TextScorer],
        method: str = "logistic",
        *,
        l2: float = 1.0,
        trees: int = 100,
        depth: int = 3,
        learning_rate: float = 0.1,
        seed: int = 0,
    ):
        check_choice("method", method, METHODS)
        if not rankers:
            raise ValueError("`rankers` must hold at least one. Received: none")
        self.rankers = list(rankers)
        self.method = method
        self.settings: dict[str, Any] = {
            **{"l2": l2, "trees": trees, "depth": depth},
            **{"learning_rate": learning_rate, "seed": seed},
        }
        self.fitted: WeightedSum | Trees | None = None

    def fit(
        self,
        questions: Sequence[Question],
        scores: Sequence[Sequence[np.ndarray] | None] | None = None,
    ) -> "Stacker":
        """Learns how to combine scores.

        Args:
            questions: questions with right and wrong candidates.
            scores: of each ranker for each question the scores of its
                candidates, such as those of
                `keras_qa.out_of_fold_scores` for questions
                that the ranker was trained on. None, for one or for all, takes
                the scores of the ranker as it is.

        Returns:
            The object itself.

        Raises:
            ImportError: if trees are to be boosted without scikit-learn.
            ValueError: if scores are of other rankers or candidates, or all
                labels are equal.
        """
        given = [None] * len(self.rankers) if scores is None else list(scores)
        if len(given) != len(self.rankers):
            raise ValueError(
                f"`scores` must have {len(self.rankers)} entries, one per "
                f"ranker. Received: {len(given)} entries"
            )
        sizes = [len(question.candidates) for question in questions]
        asked = [q.text for q in questions for _ in q.candidates]
        answers = [c.text for q in questions for c in q.candidates]
        columns = []
        for ranker, own in zip(self.rankers, given, strict=True):
            if own is None:
                columns.append(ranker.scores(asked, answers))
                continue
            if [len(of_one) for of_one in own] != sizes:
                raise ValueError(
                    "`scores` must have a score for each candidate of each "
                    f"question. Received: {len(own)} questions of "
                    f"{sum(map(len, own))} scores for {len(sizes)} of "
                    f"{sum(sizes)} candidates"
                )
            columns.append(np.concatenate(own))
        x = np.stack(columns, axis=1)
        read = _is_read(x)
        labels = [c.label for q in questions for c in q.candidates]
        groups = np.repeat(np.arange(len(sizes)), sizes)
        self.fitted = fit_stacker(
            *(x[read], np.array(labels)[read], groups[read], self.method),
            **self.settings,
        )
        return self

    def scores(
        self, questions: str | Sequence[str], answers: Sequence[str]
    ) -> np.ndarray:
        """Scores pairs of a question and an answer, as `Ranker.scores`.

        Args:
            questions: one question for all answers, or one for each answer.
            answers: `n` texts; `n` may be 0.

        Returns:
            float32 `(n,)`, higher is better.

        Raises:
            RankerError: if `fit` was not called, the numbers of questions and
                answers differ, or `answers` is a single text.
        """
        fitted = self._known()
        every = [ranker.scores(questions, answers) for ranker in self.rankers]
        x = np.stack(every, axis=1)
        read = _is_read(x)
        found = np.full(len(x), UNREAD_SCORE, np.float32)
        found[read] = fitted.scores(x[read])
        return found

    def rank(
        self, question: str, answers: Sequence[str], top: int | None = None
    ) -> list[tuple[int, float]]:
        """Orders answers to a question, as `Ranker.rank`.

        Args:
            question: the question.
            answers: the texts of the answers; may be empty.
            top: the most answers to return; None returns all.

        Returns:
            Pairs of a position in `answers` and its score, best first.

        Raises:
            RankerError: if `fit` was not called, or `top` is less than 1.
        """
        return rank_by(self, question, answers, top)

    def to_ranker(self) -> Ranker:
        """One Keras model of all rankers, which is saved and exported.

        Returns:
            A ranker by a `FusionRanker` or a `BoostedRanker`.

        Raises:
            RankerError: if `fit` was not called, or the rankers are not all
                `Ranker`s with Keras models that read texts alike.
            ValueError: if the models have inputs of different shapes.
        """
        from keras_qa.models import BoostedRanker
        from keras_qa.models import FusionRanker

        fitted = self._known()
        parts = [one for one in self.rankers if isinstance(one, Ranker)]
        if len(parts) < len(self.rankers):
            names = [type(one).__name__ for one in self.rankers]
            raise RankerError(
                "`rankers` must all be `Ranker`s, to become one. "
                f"Received: {', '.join(names)}"
            )
        readings = [one.reading for one in parts]
        overlaps = [one.overlap for one in readings if one.overlap is not None]
        ways = {_ways(reading) for reading in readings}
        if len(ways) > 1 or any(vars(o) != vars(overlaps[0]) for o in overlaps):
            raise RankerError(
                "`rankers` must read texts alike, by one vocabulary, to become "
                "one. Received: readings that differ"
            )
        models = [one.model for one in parts]
        model: FusionRanker | BoostedRanker
        if isinstance(fitted, Trees):
            model = BoostedRanker(
                models, self.settings["trees"], self.settings["depth"]
            )
            model.assign(fitted)
        else:
            model = FusionRanker(models)
            model.assign(fitted)
        overlap = overlaps[0] if overlaps else None
        return Ranker(model, replace(readings[0], overlap=overlap))

    def _known(self) -> WeightedSum | Trees:
        if self.fitted is None:
            raise RankerError(
                "Expected a stacker that was fitted. Received: one without "
                "`fit`"
            )
        return self.fitted


def _is_read(scores: np.ndarray) -> np.ndarray:
    """True for each row without the score of unreadable answers."""
    return (scores != UNREAD_SCORE).all(axis=1)


def _ways(reading: TextReading) -> tuple:
    """What two readings must share."""
    return (
        tuple(reading.vocabulary.words),
        reading.tokenizer,
        *reading.max_length.values(),
        reading.readable,
        reading.stop_words,
    )
