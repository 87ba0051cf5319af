"""The word vectors of a run: of files, trained on its text, or of a network."""

import hashlib
import os
from argparse import Namespace
from collections.abc import Sequence
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
from keras_qa.embeddings.bert.vectors import bert_rows
from keras_qa.embeddings.elmo.encoder import Elmo
from keras_qa.embeddings.mixtures.encoders import BERT
from keras_qa.embeddings.mixtures.encoders import ELMO
from keras_qa.errors import VectorsError
from keras_qa.progress import ProgressBar
from keras_qa.text.vector_texts import VectorTexts
from reproductions.harness.errors import SettingsError
from reproductions.harness.settings import CommonSettings

SKIPGRAM = "skipgram"


def vector_identity(names: list[str]) -> tuple[list[str], list[str]]:
    """What tells vectors apart, wherever their files lie.

    Args:
        names: the names, as on the command line.

    Returns:
        The names without folders, and the fingerprints of those that are not
        trained.

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
    """Word vectors by a name of the command line.

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
        # The first two are no words.
        source = name.removeprefix(BERT)
        return bert_word_vectors(words[2:], source, **bert)
    return load_vectors(Path(name), vocabulary=words)


def matrix_of(
    vectors: list[KeyedVectors],
    arguments: Namespace,
    settings: CommonSettings,
    corpus: Corpus,
) -> tuple[np.ndarray, Coverage]:
    """The vectors of a corpus's words, side by side.

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


def bert_texts(
    names: list[str], corpus: Corpus, layers: int | Sequence[int] = -1
) -> VectorTexts:
    """The vectors of a BERT for the words of all texts, each in its text.

    They are kept in memory, in half precision: 768 bytes a word for MiniLM.

    Args:
        names: the names of the vectors, as on the command line: one BERT.
        corpus: the texts.
        layers: as for `bert_text_vectors`.

    Raises:
        ImportError: if the BERT needs a package that is missing.
        SettingsError: if there are other vectors than those of one BERT.
        VectorsError: if a file is missing or bad.
    """
    if len(names) != 1 or not names[0].startswith(BERT):
        raise SettingsError(
            "vectors of words in their texts need `--embeddings bert:SOURCE` "
            f"and no others. Received: --embeddings {' '.join(names)}"
        )
    bert = Bert(names[0].removeprefix(BERT), layers)
    texts = [tuple(tokens) for tokens in corpus.tokens]
    distinct = [text for text in dict.fromkeys(texts) if text]
    found = {(): np.zeros((0, bert.width), np.float16)}
    for i, rows in bert_rows(bert, "text", distinct, None, True):
        found[distinct[i]] = rows.astype(np.float16)
    lengths = [len(text) for text in texts]
    return VectorTexts(
        np.concatenate([found[text] for text in texts]),
        np.cumsum([0, *lengths]),
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
    """A short name for some content."""
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def fingerprint_file(path: Path) -> str:
    """A short name for a file: of its size, its first and its last megabyte.

    Files of vectors have gigabytes; this tells them apart at once.

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
