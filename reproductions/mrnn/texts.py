"""The word vectors of MRNN: mixed, and in their texts."""

from argparse import Namespace

import numpy as np

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.corpus import IndexedQuestions
from keras_qa.datasets.dataset import Question
from keras_qa.embeddings import InverseDocumentFrequency
from keras_qa.embeddings import MultiResolution
from keras_qa.embeddings import StaticEncoder
from keras_qa.embeddings import find_encoder
from keras_qa.embeddings import published_mixture
from keras_qa.text.vector_texts import VectorTexts
from reproductions.harness.experiment import Run
from reproductions.harness.vectors import SKIPGRAM
from reproductions.harness.vectors import own_skipgram
from reproductions.mrnn.settings import MRNNSettings


def mixed_vectors(
    names: list[str],
    arguments: Namespace,
    settings: MRNNSettings,
    corpus: Corpus,
    fit: list[Question],
) -> tuple[MultiResolution, InverseDocumentFrequency]:
    """The multi-resolution vectors of MRNN.

    Args:
        names: the names of all sources, as on the command line.
        arguments: the command line.
        settings: the settings.
        corpus: the texts.
        fit: the questions to train on, whose texts and those of whose
            candidates are the documents of the idf.

    Returns:
        The ensemble of Table 3 of a mixture as in Table 2 of each source, and
        the idf that it weighs by.
    """
    sentences = corpus.sentences(fit)
    mixtures = [
        published_mixture(
            StaticEncoder(own_skipgram(arguments, settings, sentences))
            if name == SKIPGRAM
            else find_encoder(name),
            settings.bert_order,
            settings.w_idf,
        )
        for name in names
    ]
    return (
        MultiResolution(tuple(mixtures)),
        InverseDocumentFrequency.of(sentences),
    )


def contextual_texts(
    run: Run[MRNNSettings], names: list[str], whole: bool = False
) -> VectorTexts:
    """The multi-resolution vectors of all texts that a run reads.

    They are kept in memory, in half precision: with Table 2's sizes, 4·768 +
    1024 + 300 numbers, 8.8 KB for each word. Wrong candidates of training
    questions are left out where training does not read them.

    Args:
        run: the run; wrong candidates are read if its setting `negatives` is
            not 0.
        names: the names of all sources, as on the command line.
        whole: whether all texts are read in any case.

    Returns:
        The texts by their numbers in the corpus; those that are not read are
        empty.
    """
    corpus, settings = run.corpus, run.settings
    fit = corpus.index(run.fit)
    read = [fit.question_texts, *_trained_on(fit, settings.negatives)]
    for part in (run.select, run.report):
        indexed = corpus.index(part)
        read += [indexed.question_texts, *indexed.candidate_texts]
    if whole:
        read = [np.arange(len(corpus.tokens))]
    numbers = np.unique(np.concatenate(read))
    source, idf = mixed_vectors(names, run.arguments, settings, corpus, run.fit)
    vectors, ends = source.ragged_vectors(
        [corpus.tokens[i] for i in numbers], idf, dtype="float16"
    )
    lengths = np.zeros(len(corpus.tokens), np.int64)
    lengths[numbers] = np.diff(ends)
    return VectorTexts(vectors, np.cumsum([0, *lengths]))


def trained_vectors(
    run: Run[MRNNSettings], texts: VectorTexts | None
) -> np.ndarray:
    """The word vectors of the training texts.

    Args:
        run: the run.
        texts: what `contextual_texts` returned, if the run reads it.

    Returns:
        Array `(n, dim)`: one vector of each word, or of each running word in
        its text.
    """
    corpus, fit = run.corpus, run.corpus.index(run.fit)
    numbers = np.unique(
        np.concatenate([fit.question_texts, *fit.candidate_texts])
    )
    if texts is not None:
        return np.concatenate([texts[i] for i in numbers])
    ids = np.concatenate([corpus.texts[i] for i in numbers])
    return run.matrix[np.unique(ids)]


def _trained_on(fit: IndexedQuestions, negatives: int) -> list[np.ndarray]:
    """The candidates of training questions that batches may contain."""
    if negatives:
        return fit.candidate_texts
    return [
        texts[labels > 0]
        for texts, labels in zip(fit.candidate_texts, fit.labels, strict=True)
    ]
