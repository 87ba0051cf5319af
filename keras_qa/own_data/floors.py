"""The floors of a training on one's own data, and their sum with a network."""

from collections import Counter
from collections.abc import Iterable
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
from keras_qa.own_data.settings import BM25_TUNED
from keras_qa.progress import ProgressBar
from keras_qa.ranking.floors import ids_without_terms
from keras_qa.ranking.padded import score_padded
from keras_qa.text.normal_forms import normal_text

# The smallest share of candidates that were candidates in training, too.
REPEATED = 0.1
# Two rows of the tables, and the features that they are.
BY_FEATURE = {
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
        counted: the questions in whose texts words were counted.
        fitted: what was fitted, JSON values by name.
    """

    bm25: BM25Ranker
    overlap: IdfOverlapRanker
    features: FeatureRanker
    counted: list[Question]
    fitted: dict[str, Any]

    def scores(
        self, corpus: Corpus, every: Corpus, questions: IndexedQuestions
    ) -> dict[str, list[np.ndarray]]:
        """The scores of the floors that no label has trained, by name.

        Args:
            corpus: the texts as the floors were fitted on them.
            every: the same texts with all of their words known, as a search
                engine knows them: BM25 and the overlap match any word.
            questions: the questions.
        """
        pairs = questions.pairs()
        bm25, overlap = _counting(every, every.index(self.counted))
        bm25.counting.assign(self.bm25.k1, self.bm25.b)
        numbers = self.features.numbers(corpus.texts, *pairs)
        found = {
            BM25_TUNED: score_padded(bm25, every.texts, *pairs, {}),
            "idf overlap": score_padded(overlap, every.texts, *pairs, {}),
            **{
                name: numbers[:, FEATURES.index(feature)]
                for name, feature in BY_FEATURE.items()
            },
        }
        return {name: questions.split(scores) for name, scores in found.items()}


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
    bm25, overlap = _counting(corpus, questions)
    features = FeatureRanker(*matrix.shape, embeddings=matrix)
    read = [corpus.texts[i] for i in _texts(questions)]
    features.adapt(read)
    _level_unseen(features.counting.idf.idf, read)
    few = corpus.index(evenly(questions.questions, bm25_questions))
    with ProgressBar(total=2, desc="Floors", unit="floor") as bar:
        fitted = {"bm25": bm25.fit_questions(corpus.texts, few)}
        bar.update()
        fitted["features"] = features.fit_questions(
            corpus.texts, questions, listwise=True
        )
        bar.update()
    return Floors(bm25, overlap, features, questions.questions, fitted)


def _counting(
    corpus: Corpus, questions: IndexedQuestions
) -> tuple[BM25Ranker, IdfOverlapRanker]:
    """BM25 and the overlap, with the words of questions counted."""
    words = corpus.vocabulary.words
    bm25, overlap = BM25Ranker(len(words)), IdfOverlapRanker(len(words))
    answers = np.unique(np.concatenate(questions.candidate_texts))
    read = [corpus.texts[i] for i in answers]
    bm25.adapt(read, ids_without_terms(words))
    _level_unseen(bm25.counting.idf, read)
    read = [corpus.texts[i] for i in _texts(questions)]
    overlap.adapt(read)
    _level_unseen(overlap.counting.idf.idf, read)
    return bm25, overlap


def _level_unseen(weights: keras.Variable, texts: Sequence[np.ndarray]) -> None:
    """Gives words that no text has the mean idf of those that one has.

    The formulas give them the highest idf of all, but most of them are as
    frequent among new texts as others are here.
    """
    idf = np.array(weights)
    seen = np.zeros(len(idf), bool)
    seen[np.concatenate(texts)] = True
    counted = idf > 0
    # Texts of punctuation alone have no word that BM25 counts.
    if (counted & seen).any():
        idf[counted & ~seen] = idf[counted & seen].mean()
        weights.assign(idf)


def _texts(questions: IndexedQuestions) -> np.ndarray:
    """The distinct texts of questions and candidates, int64."""
    return np.unique(
        np.concatenate([questions.question_texts, *questions.candidate_texts])
    )


def popularity_scores(
    taught: Iterable[Question], questions: Sequence[Question]
) -> list[np.ndarray] | None:
    """How often each candidate was right in training, whatever the question.

    Where questions share their answers, as with canned replies, a model may
    learn no more than this.

    Args:
        taught: the training questions.
        questions: the questions to rank the candidates of.

    Returns:
        For each question and candidate (r + s) / (n + 1), if training has the
        text n times, r times right, and s is the share of right ones of all;
        None if it has less than a tenth of the candidates.
    """
    right: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for question in taught:
        for candidate in question.candidates:
            text = normal_text(candidate.text)
            count[text] += 1
            right[text] += candidate.label > 0
    asked = [[normal_text(c.text) for c in q.candidates] for q in questions]
    known = [text in count for texts in asked for text in texts]
    if not known or sum(known) < REPEATED * len(known):
        return None
    share = right.total() / count.total()
    return [
        np.array([(right[t] + share) / (count[t] + 1) for t in texts])
        for texts in asked
    ]


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
