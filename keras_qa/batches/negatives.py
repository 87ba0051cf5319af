"""Negative answers for pairwise training, drawn in each epoch."""

from collections.abc import Callable
from collections.abc import Sequence

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_not_negative
from keras_qa.arguments import check_positive
from keras_qa.batches.groups import check_labels

STRATEGIES = ("random", "max", "mix")
POOLS = ("own", "all")

ScoreFunction = Callable[[np.ndarray, np.ndarray], np.ndarray]


class NegativeSampler:
    """Draws `negatives` wrong answers for each (question, positive) pair.

    The strategies are those of Rao et al. (2016), which HyperQA adopts
    (section 3.6.1): `"random"`; `"max"`, the answers that the model ranks
    highest at the start of an epoch; `"mix"`, half of each, with an odd one for
    `"max"`. A correct answer of the same question is never drawn.

    Texts are given by their indices in a list of distinct texts, so that two
    copies of a sentence are the same answer.

    Args:
        questions: for each question, the index of its text.
        candidates: for each question, the indices of its candidates' texts.
        labels: for each question, its candidates' labels, 0 or 1.
        negatives: number of negatives per pair.
        strategy: `"random"`, `"max"` or `"mix"`.
        pool: `"own"` draws from the question's own candidates and, if these
            are too few, also from `everything`; `"all"` draws from
            `everything`.
        hard_pool_size: with `pool="all"`, the number of random answers from
            which `"max"` chooses the hardest; at least `negatives` are used.
        seed: seed of all draws. They depend only on the seed and the epoch, so
            that a resumed training has the negatives of an uninterrupted one.
        everything: the indices of the texts of the complete answer space; by
            default the candidates of all questions.

    Raises:
        ValueError: if an argument is out of range, no question has a positive,
            or there is no wrong answer for a question.
    """

    def __init__(
        self,
        questions: Sequence[int] | np.ndarray,
        candidates: Sequence[np.ndarray],
        labels: Sequence[np.ndarray],
        negatives: int = 4,
        strategy: str = "mix",
        pool: str = "own",
        hard_pool_size: int = 50,
        seed: int = 0,
        everything: np.ndarray | None = None,
    ):
        check_choice("strategy", strategy, STRATEGIES)
        check_choice("pool", pool, POOLS)
        check_positive(negatives=negatives, hard_pool_size=hard_pool_size)
        check_not_negative(seed=seed)
        self.negatives = negatives
        self.strategy = strategy
        self.pool = pool
        self.hard_pool_size = max(hard_pool_size, negatives)
        self.seed = seed

        check_labels(questions, candidates, labels)
        group = [np.flatnonzero(np.asarray(label) > 0) for label in labels]
        pairs = [(i, j) for i, hits in enumerate(group) for j in hits]
        if not pairs:
            raise ValueError(
                "`labels` must hold at least one positive. Received: "
                f"{len(labels)} questions without any"
            )
        rows = np.array([i for i, _ in pairs])
        # Repeated questions share their correct answers.
        self.question = np.asarray(questions)[rows]
        self.positive = np.array([candidates[i][j] for i, j in pairs])
        if everything is None:
            everything = np.concatenate(candidates)
        self._everything = np.unique(everything)
        self._true = np.unique(self._key(self.question, self.positive))
        self._own = self._own_negatives(candidates, rows)
        self._check_enough()

    def _key(self, question: np.ndarray, answer: np.ndarray) -> np.ndarray:
        """Returns one integer per (question, answer) pair of texts."""
        return question.astype(np.int64) * (1 << 32) + answer

    def _is_true(self, answers: np.ndarray) -> np.ndarray:
        """Returns True where an answer of `(pairs, n)` is a correct one."""
        return np.isin(self._key(self.question[:, None], answers), self._true)

    def _own_negatives(
        self, candidates: Sequence[np.ndarray], rows: np.ndarray
    ) -> np.ndarray:
        """Returns the wrong candidates of each pair, `(pairs, n)`, or -1."""
        distinct = [np.unique(c) for c in candidates]
        width = max(len(c) for c in distinct)
        table = np.full((len(distinct), width), -1, dtype=np.int64)
        for row, texts in zip(table, distinct, strict=True):
            row[: len(texts)] = texts
        own = table[rows]
        own[self._is_true(own)] = -1
        return own

    def _check_enough(self) -> None:
        question, answer = np.divmod(self._true, 1 << 32)
        to_draw = np.isin(answer, self._everything)
        counts = np.unique(question[to_draw], return_counts=True)[1]
        true_count = counts.max(initial=0)
        if len(self._everything) <= true_count:
            raise ValueError(
                "`candidates` or `everything` must hold a wrong answer for "
                "every question. "
                f"Received: {len(self._everything)} different answers, "
                f"{true_count} of them true for one question"
            )

    def __len__(self) -> int:
        """The number of (question, positive) pairs."""
        return len(self.question)

    def sample(
        self, epoch: int, score: ScoreFunction | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draws the negatives of one epoch.

        Args:
            epoch: number of the epoch, from 0.
            score: function from the indices of questions and answers, two
                vectors of the same length, to the model's scores, higher is
                better. Required by `"max"` and `"mix"`.

        Returns:
            `(question, positive, negatives)`: text indices of shapes
            `(pairs,)`, `(pairs,)` and `(pairs, negatives)`.

        Raises:
            ValueError: if the strategy requires `score` and it is None.
        """
        if self.strategy != "random" and score is None:
            raise ValueError(
                f"`score` is needed by strategy={self.strategy!r}. "
                "Received: score=None"
            )
        rng = np.random.default_rng([self.seed, epoch])
        # Drawn with replacement: among few texts one may be drawn twice.
        pool = (
            self._own
            if self.pool == "own"
            else self._anywhere(rng, self.hard_pool_size)
        )
        hard_count = {
            "random": 0,
            "max": self.negatives,
            "mix": (self.negatives + 1) // 2,
        }[self.strategy]
        drawn = pool[:, :0]
        if hard_count:
            drawn = self._best(pool, self._scores(pool, score), hard_count)
        if hard_count < self.negatives:
            rest = np.where(
                (pool[:, :, None] == drawn[:, None, :]).any(2), -1, pool
            )
            random = self._best(
                rest, rng.random(rest.shape), self.negatives - hard_count
            )
            drawn = np.concatenate([drawn, random], axis=1)
        filler = self._anywhere(rng, self.negatives)
        return (
            self.question,
            self.positive,
            np.where(drawn < 0, filler, drawn),
        )

    def share(
        self,
        rng: np.random.Generator,
        question: np.ndarray,
        negatives: np.ndarray,
    ) -> np.ndarray:
        """Replaces negatives by ones that the questions share.

        One random answer from `everything` replaces each column, but a question
        for which it is correct keeps its own negative. Each question's
        negatives stay uniform over its wrong answers, but those of different
        questions are no longer independent.

        Args:
            rng: source of the random answers.
            question: text indices of the questions, `(n,)`.
            negatives: their negatives, `(n, k)`, as `sample` drew them with
                `strategy="random"` and `pool="all"`.

        Returns:
            Text indices `(n, k)`.
        """
        common = rng.choice(self._everything, negatives.shape[1])
        pairs = self._key(question[:, None], common)
        return np.where(np.isin(pairs, self._true), negatives, common)

    def _scores(
        self, pool: np.ndarray, score: ScoreFunction | None
    ) -> np.ndarray:
        valid = pool >= 0
        scores = np.zeros(pool.shape)
        if score is not None:
            questions = np.broadcast_to(self.question[:, None], pool.shape)
            scores[valid] = score(questions[valid], pool[valid])
        return scores

    def _best(
        self, pool: np.ndarray, value: np.ndarray, count: int
    ) -> np.ndarray:
        """Returns the `count` texts of highest value in each row, or -1."""
        value = np.where(pool >= 0, value, -np.inf)
        order = np.argsort(-value, axis=1, kind="stable")[:, :count]
        best = np.take_along_axis(pool, order, axis=1)
        missing = count - best.shape[1]
        return np.pad(best, ((0, 0), (0, missing)), constant_values=-1)

    def _anywhere(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Draws random wrong answers from `everything`, `(pairs, count)`."""
        drawn = rng.choice(self._everything, (len(self), count))
        while (wrong := self._is_true(drawn)).any():
            drawn[wrong] = rng.choice(self._everything, wrong.sum())
        return drawn
