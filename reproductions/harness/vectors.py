"""The word vectors of a run: from files, its own text, or a network."""

import hashlib
import os
import warnings
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import KeyedVectors

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Question
from keras_qa.embeddings import Coverage
from keras_qa.embeddings import Share
from keras_qa.embeddings import WordScaling
from keras_qa.embeddings import bert_word_vectors
from keras_qa.embeddings import embedding_matrix
from keras_qa.embeddings import idf_weights
from keras_qa.embeddings import load_vectors
from keras_qa.embeddings import random_vectors
from keras_qa.embeddings import rare_length_ratio
from keras_qa.embeddings import train_skipgram
from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.bert.vectors import bert_rows
from keras_qa.embeddings.elmo.encoder import Elmo
from keras_qa.embeddings.mixtures.encoders import BERT
from keras_qa.embeddings.mixtures.encoders import ELMO
from keras_qa.embeddings.texts import Text
from keras_qa.errors import VectorsError
from keras_qa.errors import VectorsWarning
from keras_qa.progress import ProgressBar
from keras_qa.text.vector_texts import VectorTexts
from reproductions.harness.errors import SettingsError
from reproductions.harness.settings import CommonSettings

SKIPGRAM = "skipgram"
RANDOM = "random"
# Where rare words are longer by this factor, vectors are weighted by frequency.
WEIGHTED = 10


def vector_identity(names: list[str]) -> tuple[list[str], list[str]]:
    """Identifies vectors independently of where their files are.

    Args:
        names: the names, as on the command line.

    Returns:
        The names without folders, and the fingerprints of those that a run
        does not make itself.

    Raises:
        ImportError: if a BERT needs a package that is missing.
        VectorsError: if a file cannot be read.
    """
    short, fingerprints = [], []
    for name in names:
        short.append(short_name(name))
        if name.startswith((BERT, ELMO)):
            network = Elmo if name.startswith(ELMO) else Bert
            fingerprints.append(network(name.partition(":")[2]).fingerprint)
        elif name not in (SKIPGRAM, RANDOM):
            fingerprints.append(fingerprint_file(Path(name)))
    return short, fingerprints


def short_name(name: str) -> str:
    """The name of vectors without folders."""
    for kind in (BERT, ELMO):
        if name.startswith(kind):
            return kind + Path(name.removeprefix(kind)).name
    return Path(name).name


def load_named(
    name: str,
    arguments: Namespace,
    settings: CommonSettings,
    corpus: Corpus,
    fit: list[Question],
    **bert: Any,
) -> KeyedVectors:
    """Loads or trains the word vectors that `--embeddings` names.

    How many words have a vector is printed.

    Args:
        name: a file, `skipgram`, `random`, or `bert:SOURCE`.
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
        found = own_skipgram(arguments, settings, corpus.sentences(fit))
    elif name == RANDOM:
        # All but padding have one, the unknown word too.
        found = random_vectors(words[1:], settings.random_dim, arguments.seed)
    elif name.startswith(BERT):
        # The first two entries are padding and the unknown word.
        source = name.removeprefix(BERT)
        found = bert_word_vectors(words[2:], source, **bert)
    else:
        found = load_vectors(Path(name), vocabulary=words)
    print(f"{short_name(name)}: {_covered(found, corpus)}")
    return found


def _covered(vectors: KeyedVectors, corpus: Corpus) -> str:
    """How many words of a corpus have a vector."""
    counts = corpus.word_counts()
    known = [word for word in counts if vectors.has_index_for(word)]
    running = Share(sum(counts[word] for word in known), counts.total())
    return f"words {Share(len(known), len(counts))}, running {running}"


def warn_of_weights(
    name: str,
    vectors: KeyedVectors,
    settings: CommonSettings,
    corpus: Corpus,
) -> None:
    """Warns if a model would be trained on vectors weighted by frequency.

    Args:
        name: the name of the vectors, as on the command line.
        vectors: the vectors.
        settings: the settings; with a `word_norm` there is no warning.
        corpus: the texts.
    """
    if settings.word_norm != "raw":
        return
    ratio = rare_length_ratio(vectors, corpus.word_counts())
    if ratio >= WEIGHTED:
        warnings.warn(
            f"{short_name(name)}: expected frequent and rare words to have "
            "vectors of similar lengths, as a trained model hardly sees very "
            "short ones; add `--set word_norm=unit`. Received: those of rare "
            f"words are {ratio:.0f} times longer",
            VectorsWarning,
            stacklevel=2,
        )


def scaling_of(settings: CommonSettings) -> WordScaling:
    """The lengths that the settings ask for."""
    return WordScaling(
        settings.word_norm, settings.word_length, settings.word_norm_power
    )


def matrix_of(
    vectors: list[KeyedVectors],
    arguments: Namespace,
    settings: CommonSettings,
    corpus: Corpus,
    fit: list[Question],
    scaling: WordScaling | None = None,
) -> tuple[np.ndarray, Coverage]:
    """Concatenates several vectors of each word of a corpus.

    Args:
        vectors: word vectors.
        arguments: the command line.
        settings: the settings.
        corpus: the texts.
        fit: the questions to train on, whose texts and those of whose
            candidates are the documents of the idf.
        scaling: the lengths of the vectors of each source; None keeps them.

    Returns:
        Vectors by word id, float32 `(words, dim)`, and how many words have one.
    """
    words = corpus.vocabulary.words
    matrix, coverage = embedding_matrix(
        words,
        vectors,
        seed=arguments.seed,
        scale=settings.oov_scale,
        counts=corpus.word_counts(),
        scaling=scaling,
    )
    if settings.idf_weighting:
        weights = idf_weights(words, corpus.sentences(fit))
        matrix *= weights[:, None].astype(np.float32)
    return matrix, coverage


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
    none = np.zeros((0, bert.width), np.float16)
    found: dict[Text, np.ndarray] = {(): none}
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
