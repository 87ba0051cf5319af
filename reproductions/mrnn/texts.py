"""The texts of a run of MRNN as vectors of their words where they stand."""

import numpy as np

from keras_qa.datasets.corpus import IndexedQuestions
from keras_qa.text.vector_texts import VectorTexts
from reproductions.harness.experiment import Experiment
from reproductions.harness.vectors import mixed_vectors


def contextual_texts(experiment: Experiment) -> VectorTexts:
    """The multi-resolution vectors of all texts that a run reads.

    They are kept in memory, in half precision: with Table 2's sizes, 4·768 +
    1024 + 300 numbers, 8.8 KB for each word. Wrong candidates of training
    questions are left out where training does not read them.

    Args:
        experiment: the experiment; its setting `negatives` says whether wrong
            candidates are read.

    Returns:
        The texts by their numbers in the corpus; those that are not read are
        empty.
    """
    corpus, settings = experiment.corpus, experiment.settings
    fit = corpus.index(experiment.fit)
    read = [fit.question_texts, *_trained_on(fit, settings["negatives"])]
    for part in (experiment.select, experiment.report):
        indexed = corpus.index(part)
        read += [indexed.question_texts, *indexed.candidate_texts]
    numbers = np.unique(np.concatenate(read))
    source, idf = mixed_vectors(
        experiment.arguments, settings, corpus, experiment.fit
    )
    vectors, ends = source.ragged_vectors(
        [corpus.tokens[i] for i in numbers], idf, dtype="float16"
    )
    lengths = np.zeros(len(corpus.tokens), np.int64)
    lengths[numbers] = np.diff(ends)
    return VectorTexts(vectors, np.cumsum([0, *lengths]))


def _trained_on(fit: IndexedQuestions, negatives: int) -> list[np.ndarray]:
    """The candidates of training questions that batches may hold."""
    if negatives:
        return fit.candidate_texts
    return [
        texts[labels > 0]
        for texts, labels in zip(fit.candidate_texts, fit.labels, strict=True)
    ]
