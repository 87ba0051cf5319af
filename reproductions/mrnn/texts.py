"""The word vectors of MRNN: of single words, and of words in their texts."""

from argparse import Namespace
from dataclasses import replace

import numpy as np
from gensim.models import KeyedVectors

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.corpus import IndexedQuestions
from keras_qa.datasets.dataset import Question
from keras_qa.embeddings import InverseDocumentFrequency
from keras_qa.embeddings import Mixture
from keras_qa.embeddings import MultiResolution
from keras_qa.embeddings import StaticEncoder
from keras_qa.embeddings import embedding_matrix
from keras_qa.embeddings import find_encoder
from keras_qa.embeddings import published_mixture
from keras_qa.embeddings.mixtures.encoders import BERT
from keras_qa.embeddings.mixtures.encoders import ELMO
from keras_qa.text.vector_texts import VectorTexts
from reproductions.harness.parts.floor_names import CONTEXTUAL_FLOORS
from reproductions.harness.parts.runs import Run
from reproductions.harness.vectors import load_named
from reproductions.harness.vectors import scaling_of
from reproductions.harness.vectors import warn_of_weights
from reproductions.mrnn.settings import CONTEXTUAL
from reproductions.mrnn.settings import MRNNSettings


def mixed_vectors(
    names: list[str],
    arguments: Namespace,
    settings: MRNNSettings,
    corpus: Corpus,
    fit: list[Question],
) -> tuple[MultiResolution, InverseDocumentFrequency]:
    """The multi-resolution vectors of MRNN.

    Word vectors, of a file or made for the text, have the lengths that the
    settings ask for before Table 2 weighs them by idf. So have those that a
    network gives each word alone; those of a word in its text stay as they are.

    Args:
        names: the names of all sources, as on the command line.
        arguments: the command line.
        settings: the settings.
        corpus: the texts.
        fit: the questions to train on; they and their candidates are the
            documents of the idf.

    Returns:
        The ensemble (Table 3) of one mixture (Table 2) per source, and the idf
        that weighs its vectors.
    """
    mixtures = []
    for name in names:
        if name.startswith((BERT, ELMO)):
            mixture = published_mixture(
                find_encoder(name),
                settings.bert_order,
                settings.bert_layers,
                settings.w_idf,
            )
            if arguments.model not in (CONTEXTUAL, *CONTEXTUAL_FLOORS):
                mixture = _scaled_alone(mixture, settings, corpus)
        else:
            vectors = load_named(name, arguments, settings, corpus, fit)
            warn_of_weights(name, vectors, settings, corpus)
            mixture = published_mixture(
                _scaled(vectors, settings, corpus), w_idf=settings.w_idf
            )
        mixtures.append(mixture)
    return (
        MultiResolution(tuple(mixtures)),
        InverseDocumentFrequency.of(corpus.sentences(fit)),
    )


def _scaled_alone(
    mixture: Mixture, settings: MRNNSettings, corpus: Corpus
) -> Mixture:
    """A network's mixture, for words alone, with scaled vectors."""
    if settings.word_norm == "raw":
        return mixture
    unweighted = MultiResolution((replace(mixture, w_idf=0.0),))
    vectors = unweighted.word_vectors(corpus.vocabulary.words[2:])
    return Mixture(_scaled(vectors, settings, corpus), w_idf=mixture.w_idf)


def _scaled(
    vectors: KeyedVectors, settings: MRNNSettings, corpus: Corpus
) -> StaticEncoder:
    """Word vectors of the lengths that the settings ask for."""
    words = corpus.vocabulary.words
    matrix, _ = embedding_matrix(
        words, vectors, oov="zeros", scaling=scaling_of(settings)
    )
    scaled = KeyedVectors(vectors.vector_size)
    scaled.add_vectors(words[1:], matrix[1:])
    return StaticEncoder(scaled)


def contextual_texts(
    run: Run[MRNNSettings], names: list[str], whole: bool = False
) -> VectorTexts:
    """The multi-resolution vectors of all texts that a run reads.

    The vectors are kept in memory as float16: with Table 2's sizes, 4·768 +
    1024 + 300 numbers, 8.8 KB for each word.

    Args:
        run: the run; wrong candidates of training questions are left out if
            its setting `negatives` is 0.
        names: the names of all sources, as on the command line.
        whole: whether all texts are read in any case.

    Returns:
        The texts by their numbers in the corpus; texts that are left out are
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
    source, idf = mixed_vectors(
        names, run.arguments, settings, corpus, run.own.fit
    )
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
