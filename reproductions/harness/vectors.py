"""The word vectors of a run: from files, its own text, or a network."""

import hashlib
import os
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import KeyedVectors

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Question
from keras_qa.embeddings import Coverage
from keras_qa.embeddings import bert_word_vectors
from keras_qa.embeddings import embedding_matrix
from keras_qa.embeddings import load_vectors
from keras_qa.embeddings import train_skipgram
from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.elmo.encoder import Elmo
from keras_qa.embeddings.mixtures.encoders import BERT
from keras_qa.embeddings.mixtures.encoders import ELMO
from keras_qa.errors import VectorsError
from keras_qa.progress import ProgressBar
from reproductions.harness.settings import CommonSettings

SKIPGRAM = "skipgram"


def vector_identity(names: list[str]) -> tuple[list[str], list[str]]:
    """Identifies vectors independently of where their files are.

    Args:
        names: the names, as on the command line.

    Returns:
        The names without folders, and the fingerprints of those that a run
        does not train itself.

    Raises:
        ImportError: if a BERT needs a package that is missing.
        VectorsError: if a file cannot be read.
    """
    short, fingerprints = [], []
    for name in names:
        if name.startswith((BERT, ELMO)):
            kind, _, source = name.partition(":")
            short.append(f"{kind}:{Path(source).name}")
            network = Elmo if name.startswith(ELMO) else Bert
            fingerprints.append(network(source).fingerprint)
            continue
        short.append(Path(name).name)
        if name != SKIPGRAM:
            fingerprints.append(fingerprint_file(Path(name)))
    return short, fingerprints


def load_named(
    name: str,
    arguments: Namespace,
    settings: CommonSettings,
    corpus: Corpus,
    fit: list[Question],
    **bert: Any,
) -> KeyedVectors:
    """Loads or trains the word vectors that `--embeddings` names.

    Args:
        name: a file, `skipgram`, or `bert:SOURCE`.
        arguments: the command line.
        settings: the settings.
        corpus: the texts.
        fit: the questions to train on.
        **bert: further arguments of `bert_word_vectors`.

    Raises:
        ImportError: if a BERT needs a package that is missing.
        VectorsError: if a file is missing or bad.
    """
    words = corpus.vocabulary.words
    if name == SKIPGRAM:
        return own_skipgram(arguments, settings, corpus.sentences(fit))
    if name.startswith(BERT):
        # The first two entries are padding and the unknown word.
        source = name.removeprefix(BERT)
        return bert_word_vectors(words[2:], source, **bert)
    return load_vectors(Path(name), vocabulary=words)


def matrix_of(
    vectors: list[KeyedVectors],
    arguments: Namespace,
    settings: CommonSettings,
    corpus: Corpus,
) -> tuple[np.ndarray, Coverage]:
    """Concatenates several vectors of each word of a corpus.

    Args:
        vectors: word vectors.
        arguments: the command line.
        settings: the settings.
        corpus: the texts.

    Returns:
        Vectors by word id, float32 `(words, dim)`, and how many words have one.
    """
    return embedding_matrix(
        corpus.vocabulary.words,
        vectors,
        seed=arguments.seed,
        scale=settings.oov_scale,
        counts=corpus.word_counts(),
    )


def own_skipgram(
    arguments: Namespace, settings: CommonSettings, sentences: list[list[str]]
) -> KeyedVectors:
    """Vectors trained on the questions and candidates of the training part."""
    epochs = settings.skipgram_epochs
    if arguments.smoke:
        epochs = settings.smoke_epochs
    with ProgressBar(total=epochs, desc=SKIPGRAM, unit="epoch") as bar:
        return train_skipgram(
            sentences,
            vector_size=settings.skipgram_dim,
            window=settings.skipgram_window,
            epochs=epochs,
            seed=arguments.seed,
            progress=lambda done, total: bar.update(),
        )


def fingerprint(content: bytes) -> str:
    """A digest of 8 bytes, in hexadecimal."""
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def fingerprint_file(path: Path) -> str:
    """A digest of a file's size and its first and last mebibyte.

    To read all of a file of vectors, of gigabytes, would take too long.

    Raises:
        VectorsError: if the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            start = file.read(1 << 20)
            file.seek(max(0, size - (1 << 20)))
            return fingerprint(b"%d " % size + start + file.read())
    except OSError as error:
        raise VectorsError(
            f"{path}: expected a file of vectors. Received: {error}"
        ) from error
