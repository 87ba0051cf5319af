"""The floors of a training on one's own data, and their sum with a network."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.corpus import IndexedQuestions
from keras_qa.datasets.dataset import Question
from keras_qa.layers.alignment_features import FEATURES
from keras_qa.models import BM25Ranker
from keras_qa.models import FeatureRanker
from keras_qa.models import FusionRanker
from keras_qa.models import IdfOverlapRanker
from keras_qa.progress import ProgressBar
from keras_qa.ranking.floors import is_search_term
from keras_qa.ranking.padded import score_padded

# The rows of the tables, and the features that three of them are.
BM25 = "BM25, tuned"
BY_FEATURE = {
    "idf overlap": "idf_overlap",
    "untrained cosine": "cosine",
    "idf alignment": "idf_alignment",
}


@dataclass(frozen=True)
class Floors:
    """Rankers without a network, fitted on training questions.

    Attributes:
        bm25: BM25 with its two parameters chosen.
        overlap: the share of the question's words that the answer has.
        features: a logistic regression on nine features of the match.
        fitted: what was fitted, JSON values by name.
    """

    bm25: BM25Ranker
    overlap: IdfOverlapRanker
    features: FeatureRanker
    fitted: dict[str, Any]

    def scores(
        self, corpus: Corpus, questions: IndexedQuestions
    ) -> dict[str, list[np.ndarray]]:
        """The scores of the floors that no label has trained, by name."""
        pairs = questions.pairs()
        numbers = self.features.numbers(corpus.texts, *pairs)
        bm25 = score_padded(self.bm25, corpus.texts, *pairs, {})
        return {
            BM25: questions.split(bm25),
            **{
                name: questions.split(numbers[:, FEATURES.index(feature)])
                for name, feature in BY_FEATURE.items()
            },
        }


def fit_floors(
    corpus: Corpus,
    questions: IndexedQuestions,
    matrix: np.ndarray,
    bm25_questions: int,
) -> Floors:
    """Counts words in the texts of questions, and fits the floors on them.

    Args:
        corpus: the texts.
        questions: training questions with right and wrong candidates.
        matrix: vectors by word id.
        bm25_questions: the largest number of them that BM25 is tuned on.
    """
    words = corpus.vocabulary.words
    answers = np.unique(np.concatenate(questions.candidate_texts))
    read = np.union1d(answers, questions.question_texts)
    documents = [corpus.texts[i] for i in read]
    bm25 = BM25Ranker(len(words))
    # Punctuation is no word to a search engine.
    ignored = [i for i, word in enumerate(words) if not is_search_term(word)]
    bm25.adapt([corpus.texts[i] for i in answers], ignored)
    overlap = IdfOverlapRanker(len(words))
    features = FeatureRanker(*matrix.shape, embeddings=matrix)
    for floor in (overlap, features):
        floor.adapt(documents)
    few = corpus.index(evenly(questions.questions, bm25_questions))
    with ProgressBar(total=2, desc="Floors", unit="floor") as bar:
        fitted = {"bm25": bm25.fit_questions(corpus.texts, few)}
        bar.update()
        fitted["features"] = features.fit_questions(
            corpus.texts, questions, listwise=True
        )
        bar.update()
    return Floors(bm25, overlap, features, fitted)


def evenly(questions: Sequence[Question], most: int) -> list[Question]:
    """Some questions, evenly spread; all if they are no more than `most`."""
    return list(questions[:: max(1, -(-len(questions) // most))])


def fused(
    rankers: Sequence[keras.Model],
    corpus: Corpus,
    held_out: IndexedQuestions,
    l2: float,
) -> tuple[FusionRanker, dict[str, Any]]:
    """One model that adds up rankers, its weights fitted on other questions.

    Args:
        rankers: the rankers.
        corpus: the texts.
        held_out: questions that no network was trained on: it would know
            their answers by heart, and get all the weight.
        l2: strength of the regularisation of the weights.

    Returns:
        The model, and what was fitted.
    """
    model = FusionRanker(rankers)
    return model, model.fit_questions(
        corpus.texts, held_out, l2=l2, listwise=True
    )
