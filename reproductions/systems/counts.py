"""The systems without a network: counts of words, and paragraph vectors."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

import keras_qa
from keras_qa.text.overlap import is_stop_word
from reproductions.harness.experiment import Experiment
from reproductions.harness.parts.runs import Outcome
from reproductions.harness.parts.runs import Run

if TYPE_CHECKING:
    import keras

    from keras_qa.datasets.dataset import Question
    from keras_qa.ranker import TextScorer
    from keras_qa.ranking.paragraph_vectors import ParagraphVectors

# How the words of each count are weighed.
COUNTS: dict[str, str | None] = {
    "word-count": None,
    "weighted-word-count": "idf",
}
PARAGRAPH_VECTORS = "pv"


def counting_model(run: Run[Any], name: str) -> "keras.Model":
    """A count of words, by the documents of the training questions.

    Args:
        run: the run.
        name: one of `COUNTS`.
    """
    corpus = run.corpus
    words = corpus.vocabulary.words
    model = keras_qa.WordCountRanker(len(words), COUNTS[name])
    answers = np.unique(np.concatenate(corpus.index(run.fit).candidate_texts))
    model.adapt(
        [corpus.texts[i] for i in answers],
        [i for i, word in enumerate(words) if is_stop_word(word)],
    )
    return model


def paragraph_vectors(run: Run[Any]) -> "ParagraphVectors":
    """Paragraph vectors that are trained on the training texts."""
    from keras_qa.ranking.paragraph_vectors import ParagraphVectors

    corpus = run.corpus
    fit = corpus.index(run.fit)
    read = np.union1d(
        fit.question_texts, np.unique(np.concatenate(fit.candidate_texts))
    )
    vectors = ParagraphVectors(
        tokenizer=corpus.tokenizer, seed=run.arguments.seed
    )
    return vectors.fit([corpus.originals[i] for i in read])


def rank_texts(
    experiment: Experiment[Any],
    run: Run[Any],
    scorer: "TextScorer",
    details: Mapping[str, Any] = MappingProxyType({}),
) -> Outcome:
    """Ranks with what scores texts and is not exported.

    Args:
        experiment: the experiment that owns the model.
        run: the run.
        scorer: scores pairs of texts.
        details: entries of `metrics.json`.
    """
    from reproductions.harness.fitting import ranked

    return ranked(experiment, run, partial(scores_of, scorer), details)


def scores_of(
    scorer: "TextScorer", questions: "list[Question]"
) -> list[np.ndarray]:
    """The scores of the candidates of each question."""
    return [
        scorer.scores(q.text, [c.text for c in q.candidates]) for q in questions
    ]
