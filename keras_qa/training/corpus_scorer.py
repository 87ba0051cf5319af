"""Scores of pairs of a corpus's texts, for training and sampling."""

from dataclasses import dataclass

import keras
import numpy as np

from keras_qa.batches.negatives import ScoreFunction
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.corpus import IndexedQuestions
from keras_qa.ranking.scoring import score_pairs
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.ragged import Ragged
from keras_qa.text.reading import TextReading
from keras_qa.text.vector_texts import VectorTexts


@dataclass(frozen=True)
class CorpusScorer:
    """A model, and its inputs for the texts of a corpus.

    Methods take texts by their indices in the corpus.

    Attributes:
        model: the model.
        corpus: the texts.
        overlap: computes the model's input `"overlap"`, if it has one.
        question_rows: the model's input `"question_row"`, if it has one: for
            each text of the corpus its number among the questions, int32
            `(texts,)`.
        answer_rows: the same of its number among the answers, the input
            `"answer_row"`.
        vectors: the texts of the corpus as word vectors, for a model that reads
            vectors instead of ids.
        word_vectors: the same, for a model that reads vectors in addition to
            ids, as its inputs `"question_vectors"` and `"answer_vectors"`.
        floor: computes the model's input `"floor"`, if it has one: the scores
            of pairs by a ranker that is not trained with it.
        unread_last: True scores answers that are not readable below all
            others, as `keras_qa.Ranker` does; False, for the papers, keeps
            every score.
    """

    model: keras.Model
    corpus: Corpus
    overlap: OverlapFeatures | None = None
    question_rows: np.ndarray | None = None
    answer_rows: np.ndarray | None = None
    vectors: VectorTexts | None = None
    word_vectors: VectorTexts | None = None
    floor: ScoreFunction | None = None
    unread_last: bool = False

    @property
    def texts(self) -> Ragged:
        """The texts that the model reads, as ids or vectors."""
        return self.corpus.texts if self.vectors is None else self.vectors

    @property
    def reading(self) -> TextReading:
        """How the model reads other texts than those of the corpus."""
        corpus = self.corpus
        return TextReading(
            corpus.vocabulary,
            corpus.tokenizer,
            corpus.max_question_length,
            corpus.max_answer_length,
            self.overlap,
        )

    def features(
        self, questions: np.ndarray, answers: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Returns the inputs of pairs beyond their texts, `(pairs, n)` each."""
        found = {}
        if self.overlap is not None:
            tokens = self.corpus.tokens
            found["overlap"] = self.overlap.pairs(tokens, questions, answers)
        if self.question_rows is not None:
            found["question_row"] = self.question_rows[questions][:, None]
        if self.answer_rows is not None:
            found["answer_row"] = self.answer_rows[answers][:, None]
        if self.floor is not None:
            found["floor"] = self.floor(questions, answers)[:, None]
        return found

    def scores(self, questions: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """Returns the scores of pairs of texts, float32 `(pairs,)`."""
        found = score_pairs(
            self.model,
            self.texts,
            questions,
            answers,
            self.features(questions, answers),
            self.word_vectors,
        )
        if not self.unread_last:
            return found
        return self.reading.unread_last(found, self.corpus.texts, answers)

    def distinct_scores(
        self, questions: np.ndarray, answers: np.ndarray
    ) -> np.ndarray:
        """Returns the result of `scores`, computing each distinct pair once.

        A sampler requests the candidates of a question once for each of its
        correct answers.
        """
        pairs, rows = np.unique(
            np.stack([questions, answers], axis=1), axis=0, return_inverse=True
        )
        return self.scores(*pairs.T)[rows.reshape(-1)]

    def rank(self, indexed: IndexedQuestions) -> list[np.ndarray]:
        """Returns the scores of the candidates of each question."""
        return indexed.split(self.scores(*indexed.pairs()))
