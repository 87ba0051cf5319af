"""The floors that every model of a run is compared with, on its own vectors.

Each is a model of the library, whose documents are counted, and whose few
parameters are fitted, on the training questions alone. `bm25` and `cosine` are
older and count the reported candidates (`reproductions.harness.run`).
"""

import dataclasses
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

import keras_qa
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.ranking.floors import ids_without_terms
from reproductions.harness.parts.floor_names import WORDLESS
from reproductions.harness.parts.runs import Run

if TYPE_CHECKING:
    import keras

    from keras_qa.text.vector_texts import VectorTexts

# Answers to other questions that a question without wrong candidates gets.
DRAWN = 50

# The class of each floor, and its own arguments.
CLASSES: dict[str, tuple[str, dict[str, Any]]] = {
    "bm25-tuned": ("BM25Ranker", {}),
    "idf-overlap": ("IdfOverlapRanker", {}),
    "cosine": ("SentenceCosineRanker", {}),
    "alignment": ("AlignmentRanker", {}),
    "idf-alignment": ("AlignmentRanker", {"idf_weighted": True}),
    "features": ("FeatureRanker", {}),
}


def fitted_floor(
    name: str, run: Run[Any], vectors: "VectorTexts | None" = None
) -> "tuple[keras.Model, dict[str, Any]]":
    """A floor that is fitted on a run's training questions.

    Args:
        name: name of the floor.
        run: the run.
        vectors: the vectors that words have in their texts, for the floors
            that read them.

    Returns:
        The floor, and what was fitted, by name.
    """
    model = build_floor(
        name.removeprefix("contextual-"),
        run,
        None if vectors is None else vectors.vectors.shape[1],
    )
    fit = run.corpus.index(with_wrong_answers(run.fit, run.arguments.seed))
    fitted = model.fit_questions(run.corpus.texts, fit, vectors)
    if fitted:
        print(f"{name}: {fitted}")
    return model, fitted


def build_floor(
    name: str, run: Run[Any], dim: int | None = None
) -> "keras.Model":
    """A floor that has counted its documents.

    Args:
        name: one of `CLASSES`.
        run: the run.
        dim: size of the vectors that words have in their texts; None for
            models that read those of words alone, if any.
    """
    class_name, arguments = CLASSES[name]
    corpus = run.corpus
    words = corpus.vocabulary.words
    if dim is not None:
        arguments = {**arguments, "embedding_dim": dim, "contextual": True}
    elif name not in WORDLESS:
        own = {"embedding_dim": run.matrix.shape[1], "embeddings": run.matrix}
        arguments = {**arguments, **own}
    model = getattr(keras_qa, class_name)(len(words), **arguments)
    fit = corpus.index(run.fit)
    candidates = np.unique(np.concatenate(fit.candidate_texts))
    if name == "bm25-tuned":
        texts = [corpus.texts[i] for i in candidates]
        model.adapt(texts, ids_without_terms(words))
    else:
        read = np.union1d(candidates, fit.question_texts)
        model.adapt([corpus.texts[i] for i in read])
    return model


def with_wrong_answers(questions: list[Question], seed: int) -> list[Question]:
    """Questions with wrong candidates, where none of them has any.

    Those of some data sets come with their right answers alone. They get
    answers to other questions.

    Args:
        questions: the questions.
        seed: decides which answers are drawn, `DRAWN` for a question.
    """
    if any(question.negatives for question in questions):
        return questions
    rng = np.random.default_rng(seed)
    texts = sorted({c.text for q in questions for c in q.candidates})
    found = []
    for question in questions:
        right = {c.text for c in question.candidates}
        drawn = rng.choice(len(texts), min(DRAWN, len(texts)), replace=False)
        wrong = tuple(
            Candidate(f"drawn-{i}", texts[i], 0)
            for i in drawn
            if texts[i] not in right
        )
        candidates = (*question.candidates, *wrong)
        found.append(dataclasses.replace(question, candidates=candidates))
    return found
