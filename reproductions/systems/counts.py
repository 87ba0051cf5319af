"""The systems without a network: counts of words, and paragraph vectors."""

from typing import TYPE_CHECKING
from typing import Any

import numpy as np

import keras_qa
from keras_qa.text.overlap import is_stop_word
from reproductions.harness.parts.runs import Outcome
from reproductions.harness.parts.runs import Run

if TYPE_CHECKING:
    import keras

    from keras_qa.datasets.dataset import Question

# How the words of each count are weighed.
COUNTS: dict[str, str | None] = {
    "word-count": None,
    "weighted-word-count": "idf",
}
PARAGRAPH_VECTORS = "pv"


def counting_model(run: Run[Any]) -> "keras.Model":
    """A count of words, by the documents of the training questions.

    Args:
        run: the run; its model is one of `COUNTS`.
    """
    corpus = run.corpus
    words = corpus.vocabulary.words
    model = keras_qa.WordCountRanker(len(words), COUNTS[run.arguments.model])
    answers = np.unique(np.concatenate(corpus.index(run.fit).candidate_texts))
    model.adapt(
        [corpus.texts[i] for i in answers],
        [i for i, word in enumerate(words) if is_stop_word(word)],
    )
    return model


def rank_by_paragraphs(run: Run[Any]) -> Outcome:
    """Ranks by paragraph vectors that are trained on the training texts."""
    from keras_qa.ranking.evaluation import evaluate
    from keras_qa.ranking.paragraph_vectors import ParagraphVectors

    corpus, seed = run.corpus, run.arguments.seed
    fit = corpus.index(run.fit)
    read = np.union1d(
        fit.question_texts, np.unique(np.concatenate(fit.candidate_texts))
    )
    vectors = ParagraphVectors(tokenizer=corpus.tokenizer, seed=seed)
    vectors.fit([corpus.originals[i] for i in read])

    def rank(questions: "list[Question]") -> list[np.ndarray]:
        return [
            vectors.scores(q.text, [c.text for c in q.candidates])
            for q in questions
        ]

    chosen = evaluate(run.select, rank(run.select), seed=seed)
    return Outcome(rank(run.report), {"selection": chosen.metrics})
