"""A corpus of the distinct texts of questions, with tokens and word ids."""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keras_qa.datasets.dataset import Question
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.text.word_pieces import text_splitter


@dataclass(frozen=True)
class IndexedQuestions:
    """Questions whose texts are indices into a corpus.

    Attributes:
        questions: the questions as read.
        question_texts: index of each question's text, int `(questions,)`.
        candidate_texts: for each question the indices of its candidates'
            texts, int64 `(candidates,)`.
        labels: for each question 1 for its correct candidates, whatever their
            grade, and 0 for wrong ones, int64 `(candidates,)`.
    """

    questions: list[Question]
    question_texts: np.ndarray
    candidate_texts: list[np.ndarray]
    labels: list[np.ndarray]

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The text indices of questions and candidates, `(pairs,)` each."""
        sizes = [len(c) for c in self.candidate_texts]
        return (
            np.repeat(self.question_texts, sizes),
            np.concatenate(self.candidate_texts),
        )

    def split(self, pair_scores: np.ndarray) -> list[np.ndarray]:
        """Splits the scores of all pairs, `(pairs,)`, by question."""
        ends = np.cumsum([len(c) for c in self.candidate_texts])
        return np.split(pair_scores, ends[:-1])


class Corpus:
    """Distinct question and answer texts, their tokens and their word ids.

    Args:
        groups: lists of questions, such as train and dev. Labels are not read.
        tokenizer: name of the tokeniser.
        max_question_length: number of tokens that questions are cut to.
        max_answer_length: number of tokens that answers are cut to.
        answers: texts of answers in addition to the candidates.
        vocabulary: the words; None collects those of all texts. Word pieces
            need that of their BERT.
        oov_buckets: of the collected vocabulary, number of ids that words
            share which it lacks; see `Vocabulary`.

    Attributes:
        originals: each text, question or answer, as read.
        tokens: the tokens of each text, cut.
        vocabulary: the words of all texts, or the given one.
        texts: the word ids of all texts.
        answer_space: indices of the answers from which negatives may be drawn,
            int64, ascending: those of `answers`, or if None the candidates of
            the first group.

    Raises:
        ImportError: if texts are read as word pieces and `tokenizers` is not
            installed.
        ValueError: if `tokenizer` is unknown, or needs a vocabulary.
    """

    def __init__(
        self,
        *groups: Sequence[Question],
        tokenizer: str = "word",
        max_question_length: int | None = None,
        max_answer_length: int | None = None,
        answers: Iterable[str] | None = None,
        vocabulary: Vocabulary | None = None,
        oov_buckets: int = 0,
    ):
        self.tokenizer = tokenizer
        self._split = text_splitter(tokenizer, vocabulary)
        self.max_question_length = max_question_length
        self.max_answer_length = max_answer_length
        # The role is in the key, as questions and answers are cut differently.
        self._index: dict[tuple[str, str], int] = {}
        self.originals: list[str] = []
        self.tokens: list[list[str]] = []
        for group in groups:
            for question in group:
                self._add("question", question.text, max_question_length)
                for candidate in question.candidates:
                    self._add("answer", candidate.text, max_answer_length)
        if answers is None:
            first = groups[0] if groups else []
            answers = [c.text for q in first for c in q.candidates]
        space = {self._add("answer", a, max_answer_length) for a in answers}
        self.answer_space = np.array(sorted(space), dtype=np.int64)
        if vocabulary is None:
            vocabulary = Vocabulary.from_tokens(
                self.tokens, oov_buckets=oov_buckets
            )
        self.vocabulary = vocabulary
        self.texts = RaggedTexts.from_sequences(
            [self.vocabulary.encode(tokens) for tokens in self.tokens]
        )

    def _add(self, role: str, text: str, max_length: int | None) -> int:
        """Returns the index of a text, and adds the text if it is new."""
        index = self._index.setdefault((role, text), len(self.tokens))
        if index == len(self.tokens):
            self.originals.append(text)
            self.tokens.append(self._split(text)[:max_length])
        return index

    def index(self, questions: Sequence[Question]) -> IndexedQuestions:
        """Looks up the texts of questions from which the corpus was built."""
        return IndexedQuestions(
            questions=list(questions),
            question_texts=np.array(
                [self._index["question", q.text] for q in questions]
            ),
            candidate_texts=[
                np.array(
                    [self._index["answer", c.text] for c in q.candidates],
                    dtype=np.int64,
                )
                for q in questions
            ],
            labels=[
                np.array([c.label > 0 for c in q.candidates], dtype=np.int64)
                for q in questions
            ],
        )

    def sentences(self, questions: Sequence[Question]) -> list[list[str]]:
        """The tokens of the distinct texts of questions, for skip-gram."""
        indexed = self.index(questions)
        chosen = np.unique(
            np.concatenate([indexed.question_texts, *indexed.candidate_texts])
        )
        return [self.tokens[i] for i in chosen]

    def word_counts(self) -> Counter[str]:
        """The number of occurrences of each word in the distinct texts."""
        return Counter(token for tokens in self.tokens for token in tokens)
