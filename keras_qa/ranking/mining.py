"""Mining of candidates with BM25, for questions with only right answers."""

from array import array
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.splitting import normal_text
from keras_qa.progress import ProgressBar
from keras_qa.ranking.floors import import_bm25s
from keras_qa.ranking.floors import search_terms
from keras_qa.ranking.ties import best_first


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
    ) -> Iterator[Question]:
        """Streams questions with the candidates that were found for them.

        The candidates are ordered by BM25 score, answers of equal score by
        their place in the collection. Only answers that share a word with the
        question are found, so a question can have fewer candidates.

        Args:
            questions: the questions; their right answers must be among the
                answers. Their other candidates are ignored.
            candidates: number of candidates of a question.
            show_progress: True draws a progress bar.
            add_right: True makes all right answers candidates, found or not,
                and then adds other answers up to the number `candidates`, but
                no right answer of another question whose text differs only in
                case and white space.

        Yields:
            The questions in the given order, with the same ids and texts. An
            answer has the same id in all questions. `missed` is the number of
            right answers that are not among the candidates.

        Raises:
            ValueError: if `candidates` is not positive, or a right answer is
                not among the answers.
        """
        if candidates < 1:
            raise ValueError(
                "`candidates` must be positive. "
                f"Received: candidates={candidates}"
            )
        right = [self._right_answers(question) for question in questions]
        right_for_text: dict[str, set[int]] = defaultdict(set)
        for question, numbers in zip(questions, right, strict=True):
            right_for_text[normal_text(question.text)] |= numbers
        made: dict[tuple[int, int], Candidate] = {}

        def candidate(number: int, label: int) -> Candidate:
            # One object for each answer, not for each candidate, saves memory.
            return made.setdefault(
                (number, label),
                Candidate(str(number), self.texts[number], label),
            )

        for question, numbers in zip(
            ProgressBar(
                questions, "BM25", unit="question", disable=not show_progress
            ),
            right,
            strict=True,
        ):
            scores = self.scores(question.text)
            if add_right:
                others = scores.copy()
                others[list(right_for_text[normal_text(question.text)])] = 0
                found = _best(others, max(0, candidates - len(numbers)))
                chosen = np.array([*numbers, *found], dtype=np.int64)
            else:
                chosen = _best(scores, candidates)
            chosen = np.sort(chosen)
            order = chosen[best_first(scores[chosen])]
            yield Question(
                question.id,
                question.text,
                tuple(candidate(i, int(i in numbers)) for i in order.tolist()),
                missed=len(numbers.difference(chosen.tolist())),
            )

    def _right_answers(self, question: Question) -> set[int]:
        numbers = set()
        for candidate in question.positives:
            number = self._numbers.get(normal_text(candidate.text))
            if number is None:
                raise ValueError(
                    "`questions` must have right answers that are among the "
                    f"answers. Received: question {question.id!r} with "
                    f"{candidate.text[:80]!r}"
                )
            numbers.add(number)
        return numbers


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


def _best(scores: np.ndarray, count: int) -> np.ndarray:
    """Indices of the `count` highest positive scores; ties by lowest index."""
    matching = np.flatnonzero(scores > 0)
    if len(matching) <= count:
        return matching
    if count == 0:
        return matching[:0]
    last = np.partition(scores[matching], -count)[-count]
    above = matching[scores[matching] > last]
    equal = matching[scores[matching] == last]
    return np.concatenate([above, equal[: count - len(above)]])
