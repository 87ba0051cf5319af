"""Mining of candidates with BM25, for questions with only right answers."""

from array import array
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.progress import ProgressBar
from keras_qa.ranking.floors import import_bm25s
from keras_qa.ranking.floors import search_terms
from keras_qa.ranking.ties import best_first
from keras_qa.text.normal_forms import normal_text
from keras_qa.text.readable import UNREAD_SCORE

DEPTH = 1000
"""How many answers of BM25 a scorer orders, if nothing else is said."""


class CandidateMiner:
    """Finds candidates among all answers of a collection.

    Wu and Hao (IAM), 3.1: BM25 retrieves "the top 100 answers for each
    question" of Yahoo! Answers, of which only the best answer is known. This
    makes a ranking data set of any collection of questions and answers.

    The paper calls the retrieved answers correct as well, "ranked after" the
    best one, which would make every ranking perfect. Here, retrieved answers
    are wrong, labelled 0, and the right answers are always among the
    candidates.

    Texts that differ only in case and white space are one answer, in the first
    spelling. Tokens without a letter or digit are ignored.

    Args:
        answers: the texts of all answers. Memory holds the texts, an integer
            for each of their words, and BM25's index, 8 bytes for each
            distinct word of each answer.
        tokenizer: name of the tokeniser.
        k1: saturation of the term frequency. The default is Lucene's, which
            the paper names without a value.
        b: strength of the length normalisation; default as for `k1`.
        show_progress: True draws a progress bar.

    Attributes:
        texts: the distinct answers, in the order of `scores`.
        left_out: number of answers that `skip`, `margin` and `share` of `mine`
            have left out, over all questions.

    Raises:
        ValueError: if `tokenizer` is unknown.
    """

    def __init__(
        self,
        answers: Iterable[str],
        *,
        tokenizer: str = "word",
        k1: float = 1.2,
        b: float = 0.75,
        show_progress: bool = True,
    ):
        self.tokenizer = tokenizer
        self.texts: list[str] = []
        self.left_out = 0
        self._numbers: dict[str, int] = {}
        self._words: dict[str, int] = {}
        documents: list[array[int]] = []
        for text in ProgressBar(
            answers, "Answers", unit="answer", disable=not show_progress
        ):
            number = self._numbers.setdefault(
                normal_text(text), len(self.texts)
            )
            if number == len(self.texts):
                self.texts.append(text)
                documents.append(self._new_ids(text))
        self._index: Any = None
        # bm25s cannot index a collection that contains no word.
        if self._words:
            self._index = import_bm25s().BM25(k1=k1, b=b)
            self._index.index(
                (documents, self._words),
                create_empty_token=False,
                show_progress=False,
            )

    def _new_ids(self, text: str) -> "array[int]":
        words = self._words
        return array(
            "i",
            [
                words.setdefault(word, len(words))
                for word in search_terms(text, self.tokenizer)
            ],
        )

    def scores(self, text: str) -> np.ndarray:
        """BM25 scores of all answers for a question.

        Args:
            text: the question's text.

        Returns:
            float32 array `(answers,)`, in the order of `texts`; 0 for an
            answer that shares no word with the question.
        """
        ids = [
            self._words[word]
            for word in search_terms(text, self.tokenizer)
            if word in self._words
        ]
        if not ids:
            return np.zeros(len(self.texts), np.float32)
        return self._index.get_scores_from_ids(ids)

    def mine(
        self,
        questions: Sequence[Question],
        candidates: int = 100,
        show_progress: bool = True,
        add_right: bool = True,
        *,
        skip: int = 0,
        margin: float | None = None,
        share: float | None = None,
        scorer: Callable[[str, list[str]], np.ndarray] | None = None,
        depth: int = DEPTH,
    ) -> Iterator[Question]:
        """Streams questions with the candidates that were found for them.

        The candidates are ordered by BM25 score, answers of equal score by
        their place in the collection. Only answers that share a word with the
        question are found, so a question can have fewer candidates.

        Some of the best answers found may be right, but not known to be.
        `skip`, `margin` and `share` leave such likely false negatives out. A
        limit is relative to the highest score of a question's right answers;
        where BM25 finds none of them, there is no limit.

        Args:
            questions: the questions; their right answers must be among the
                answers. Their other candidates are ignored.
            candidates: number of candidates of a question.
            show_progress: True draws a progress bar.
            add_right: True makes all right answers candidates, found or not,
                and then adds other answers up to the number `candidates`, but
                no right answer of another question whose text differs only in
                case and white space.
            skip: number of the best other answers of a question to leave out.
            margin: leaves out other answers that score more than the right
                one's score minus this margin; None keeps them.
            share: leaves out other answers that score more than this share of
                the right one's score, if that is positive; None keeps them.
            scorer: a function of a question and answers that scores the
                answers, such as `Ranker.scores`; its scores replace those of
                BM25, which then only finds what to score.
            depth: number of answers that BM25 finds for `scorer`; 0 takes all
                answers of the collection.

        Yields:
            The questions in the given order, with the same ids and texts. An
            answer has the same id in all questions. `missed` is the number of
            right answers that are not among the candidates.

        Raises:
            ValueError: if an argument is out of range, a right answer is not
                among the answers, or `scorer` does not give one finite score
                for each answer.

        Reference (`margin`, `share`): Moreira et al., 2024, "NV-Retriever:
        Improving text embedding models with effective hard-negative mining",
        section 3 (TopK-MarginPos, TopK-PercPos, with one right answer).
        """
        _check_limits(candidates, skip, margin, share, depth)
        right = [self._right_answers(question) for question in questions]
        right_for_text: dict[str, set[int]] = defaultdict(set)
        for question, grades in zip(questions, right, strict=True):
            right_for_text[normal_text(question.text)] |= grades.keys()
        made: dict[tuple[int, int], Candidate] = {}

        def candidate(number: int, label: int) -> Candidate:
            # One object for each answer, not for each candidate, saves memory.
            return made.setdefault(
                (number, label),
                Candidate(str(number), self.texts[number], label),
            )

        for question, grades in zip(
            ProgressBar(
                questions, "BM25", unit="question", disable=not show_progress
            ),
            right,
            strict=True,
        ):
            own = np.array([*grades], dtype=np.int64)
            scores = self.scores(question.text)
            found: np.ndarray = np.flatnonzero(scores > 0)
            scored = found
            if scorer is not None:
                found = (
                    np.sort(_best(scores, found, depth))
                    if depth
                    else np.arange(len(self.texts))
                )
                # The limits need the scores of the right answers.
                scored = np.union1d(found, own)
                scores = self._rescored(question.text, scored, scorer)
            known = own
            if add_right:
                same = right_for_text[normal_text(question.text)]
                known = np.array([*same], dtype=np.int64)
            wrong = np.setdiff1d(found, known, assume_unique=True)
            if skip or margin is not None or share is not None:
                right_found = scores[np.intersect1d(scored, own)]
                limit = _limit(right_found, margin, share)
                out = np.union1d(
                    _best(scores, wrong, skip), wrong[scores[wrong] > limit]
                )
                self.left_out += len(out)
                wrong = np.setdiff1d(wrong, out, assume_unique=True)
            if add_right:
                others = _best(scores, wrong, max(0, candidates - len(own)))
                chosen = np.concatenate([own, others])
            else:
                found = np.union1d(np.intersect1d(found, own), wrong)
                chosen = _best(scores, found, candidates)
            chosen = np.sort(chosen)
            order = chosen[best_first(scores[chosen])]
            yield Question(
                question.id,
                question.text,
                tuple(candidate(i, grades.get(i, 0)) for i in order.tolist()),
                missed=len(grades.keys() - set(chosen.tolist())),
            )

    def _rescored(
        self,
        question: str,
        found: np.ndarray,
        scorer: Callable[[str, list[str]], np.ndarray],
    ) -> np.ndarray:
        """Returns the scores of the answers found; -inf for all others."""
        given = scorer(question, [self.texts[i] for i in found])
        given = np.asarray(given, np.float32).reshape(-1)
        if len(given) != len(found) or not np.isfinite(given).all():
            raise ValueError(
                "`scorer` must give one finite score for each answer. "
                f"Received: {given} for {len(found)} answers"
            )
        scores = np.full(len(self.texts), -np.inf, np.float32)
        scores[found] = given
        return scores

    def _right_answers(self, question: Question) -> dict[int, int]:
        """The grades of the right answers, by their numbers."""
        grades: dict[int, int] = {}
        for candidate in question.positives:
            number = self._numbers.get(normal_text(candidate.text))
            if number is None:
                raise ValueError(
                    "`questions` must have right answers that are among the "
                    f"answers. Received: question {question.id!r} with "
                    f"{candidate.text[:80]!r}"
                )
            grades[number] = max(candidate.label, grades.get(number, 0))
        return grades


def mine_candidates(
    questions: Sequence[Question],
    answers: Iterable[str] = (),
    candidates: int = 100,
    *,
    tokenizer: str = "word",
    k1: float = 1.2,
    b: float = 0.75,
    show_progress: bool = True,
) -> list[Question]:
    """Makes a ranking data set from questions with their right answers.

    Args:
        questions: the questions; see `CandidateMiner.mine`.
        answers: texts of answers in addition to the candidates of `questions`.
        candidates: number of candidates of a question.
        tokenizer: see `CandidateMiner`.
        k1: see `CandidateMiner`.
        b: see `CandidateMiner`.
        show_progress: True draws progress bars.

    Returns:
        The questions with their right answers and the candidates found.

    Raises:
        ValueError: if `candidates` is not positive or `tokenizer` unknown.

    Example:
        >>> pairs = open_tabular(train="pairs.tsv").questions("train")
        >>> train = mine_candidates(pairs, candidates=20)
    """
    of_questions = [c.text for q in questions for c in q.candidates]
    miner = CandidateMiner(
        [*of_questions, *answers],
        tokenizer=tokenizer,
        k1=k1,
        b=b,
        show_progress=show_progress,
    )
    return list(miner.mine(questions, candidates, show_progress))


def _check_limits(
    candidates: int,
    skip: int,
    margin: float | None,
    share: float | None,
    depth: int,
) -> None:
    if candidates < 1:
        raise ValueError(
            f"`candidates` must be positive. Received: candidates={candidates}"
        )
    for name, value, most in (
        ("skip", skip, inf),
        ("depth", depth, inf),
        ("margin", margin, inf),
        ("share", share, 1),
    ):
        if value is not None and not 0 <= value <= most:
            bounds = "at least 0" if most == inf else f"from 0 to {most}"
            raise ValueError(
                f"`{name}` must be {bounds}. Received: {name}={value}"
            )


def _limit(
    right: np.ndarray, margin: float | None, share: float | None
) -> float:
    """The highest score that a wrong answer may have, by those of right ones.

    Where no right answer was scored, or read, there is no limit.
    """
    best = float(right[right > UNREAD_SCORE].max(initial=-inf))
    limit = inf
    if margin is not None and best > -inf:
        limit = best - margin
    if share is not None and best > 0:
        limit = min(limit, share * best)
    return limit


def _best(scores: np.ndarray, found: np.ndarray, count: int) -> np.ndarray:
    """The `count` of `found` of the highest scores; ties by lowest index."""
    if len(found) <= count:
        return found
    if count == 0:
        return found[:0]
    last = np.partition(scores[found], -count)[-count]
    above = found[scores[found] > last]
    equal = found[scores[found] == last]
    return np.concatenate([above, equal[: count - len(above)]])
