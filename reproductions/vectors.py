"""The word vectors of a run: from files, trained on its text, or of a BERT."""

import hashlib
import os
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from tqdm import tqdm

from embeddings import Coverage
from embeddings import VectorsError
from embeddings import bert_word_vectors
from embeddings import embedding_matrix
from embeddings import load_vectors
from embeddings import train_skipgram
from embeddings.bert import Bert
from keras_qa.datasets.base import Question
from keras_qa.datasets.corpus import Corpus
from reproductions.options import Settings

SKIPGRAM = "skipgram"
BERT = "bert:"

# Models that look at words alone, and those that read vectors of `--bert`.
WITHOUT_VECTORS = ("bm25", "wsdm")
OF_BERT = ("iam-bert", "iam-bert-contextual")


def chosen_vectors(arguments: Namespace) -> list[str]:
    """The names of the vectors that a model reads, as `--embeddings` has them.

    Args:
        arguments: what `options.parse_arguments` returned.
    """
    if arguments.model in WITHOUT_VECTORS:
        return []
    if arguments.model in OF_BERT:
        return [f"{BERT}{arguments.bert}"]
    return arguments.embeddings


def vector_identity(names: list[str]) -> tuple[list[str], list[str]]:
    """What tells vectors apart, wherever their files lie.

    Args:
        names: what `chosen_vectors` returned.

    Returns:
        The names without folders, and the fingerprints of those that are not
        trained.

    Raises:
        ImportError: if a BERT needs a package that is missing.
        VectorsError: if a file cannot be read.
    """
    short, fingerprints = [], []
    for name in names:
        if name.startswith(BERT):
            source = name.removeprefix(BERT)
            short.append(f"{BERT}{Path(source).name}")
            fingerprints.append(Bert(source).fingerprint)
            continue
        short.append(Path(name).name)
        if name != SKIPGRAM:
            fingerprints.append(fingerprint_file(Path(name)))
    return short, fingerprints


def word_matrix(
    arguments: Namespace,
    settings: Settings,
    corpus: Corpus,
    fit: list[Question],
) -> tuple[np.ndarray, Coverage]:
    """The word vectors of a run.

    Args:
        arguments: the command line.
        settings: the settings; of a BERT `bert_layer`, `bert_dim` and
            `bert_rms`, if they are among them.
        corpus: the texts.
        fit: the questions to train on.

    Returns:
        Vectors by word id, float32 `(words, dim)`, and how many words have one.

    Raises:
        ImportError: if a BERT needs a package that is missing.
        VectorsError: if a file is missing or bad.
    """
    words = corpus.vocabulary.words

    def load(name: str) -> KeyedVectors:
        if name == SKIPGRAM:
            return _skipgram(arguments, settings, corpus.sentences(fit))
        if name.startswith(BERT):
            # The first two are no words.
            return bert_word_vectors(
                words[2:], name.removeprefix(BERT), **bert_arguments(settings)
            )
        return load_vectors(Path(name), vocabulary=words)

    return embedding_matrix(
        words,
        [load(name) for name in chosen_vectors(arguments)],
        seed=arguments.seed,
        scale=settings["oov_scale"],
        counts=corpus.word_counts(),
    )


def bert_arguments(settings: Settings) -> dict[str, Any]:
    """What the settings say about the vectors of a BERT, as arguments."""
    return {
        "layers": settings.get("bert_layer", -1),
        "dim": settings.get("bert_dim"),
        "rms": settings.get("bert_rms"),
    }


def _skipgram(
    arguments: Namespace, settings: Settings, sentences: list[list[str]]
) -> KeyedVectors:
    """Vectors trained on the questions and candidates of the training part."""
    epochs = settings["smoke_epochs" if arguments.smoke else "skipgram_epochs"]
    with tqdm(total=epochs, desc=SKIPGRAM, unit="epoch") as bar:
        return train_skipgram(
            sentences,
            vector_size=settings["skipgram_dim"],
            window=settings["skipgram_window"],
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
