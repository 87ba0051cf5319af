"""The word vectors of a run: of files, trained on its text, or of a network."""

import hashlib
import os
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from tqdm import tqdm

from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Question
from keras_qa.embeddings import Coverage
from keras_qa.embeddings import InverseDocumentFrequency
from keras_qa.embeddings import MultiResolution
from keras_qa.embeddings import StaticEncoder
from keras_qa.embeddings import bert_word_vectors
from keras_qa.embeddings import embedding_matrix
from keras_qa.embeddings import find_encoder
from keras_qa.embeddings import load_vectors
from keras_qa.embeddings import published_mixture
from keras_qa.embeddings import train_skipgram
from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.elmo.encoder import Elmo
from keras_qa.embeddings.mixtures.encoders import BERT
from keras_qa.embeddings.mixtures.encoders import ELMO
from keras_qa.errors import VectorsError
from reproductions.harness.settings import Settings

SKIPGRAM = "skipgram"

# Models that look at words alone, those that read vectors of `--bert`, and
# those that mix all that they are given.
WITHOUT_VECTORS = ("bm25", "wsdm")
OF_BERT = ("iam-bert", "iam-bert-contextual")
CONTEXTUAL = "mrnn-contextual"
MIXED = ("mrnn", CONTEXTUAL)


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


def word_matrix(
    arguments: Namespace,
    settings: Settings,
    corpus: Corpus,
    fit: list[Question],
) -> tuple[np.ndarray, Coverage | None]:
    """The word vectors of a run.

    Args:
        arguments: the command line.
        settings: the settings; of a BERT `bert_layer`, `bert_dim` and
            `bert_rms`, if they are among them.
        corpus: the texts.
        fit: the questions to train on.

    Returns:
        Vectors by word id, float32 `(words, dim)`, and how many words have one;
        nothing for a model whose words have a vector in each text.

    Raises:
        ImportError: if a BERT needs a package that is missing.
        VectorsError: if a file is missing or bad.
    """
    words = corpus.vocabulary.words
    if arguments.model == CONTEXTUAL:
        return np.zeros((0, 0), np.float32), None
    if arguments.model in MIXED:
        source, idf = mixed_vectors(arguments, settings, corpus, fit)
        # The first two are no words.
        found = [source.word_vectors(words[2:], idf)]
        return _matrix(arguments, settings, corpus, found)

    def load(name: str) -> KeyedVectors:
        if name == SKIPGRAM:
            return _skipgram(arguments, settings, corpus.sentences(fit))
        if name.startswith(BERT):
            return bert_word_vectors(
                words[2:], name.removeprefix(BERT), **bert_arguments(settings)
            )
        return load_vectors(Path(name), vocabulary=words)

    return _matrix(
        arguments,
        settings,
        corpus,
        [load(name) for name in chosen_vectors(arguments)],
    )


def _matrix(
    arguments: Namespace,
    settings: Settings,
    corpus: Corpus,
    vectors: list[KeyedVectors],
) -> tuple[np.ndarray, Coverage]:
    return embedding_matrix(
        corpus.vocabulary.words,
        vectors,
        seed=arguments.seed,
        scale=settings["oov_scale"],
        counts=corpus.word_counts(),
    )


def mixed_vectors(
    arguments: Namespace,
    settings: Settings,
    corpus: Corpus,
    fit: list[Question],
) -> tuple[MultiResolution, InverseDocumentFrequency]:
    """The multi-resolution vectors of MRNN, of all sources that a run names.

    Args:
        arguments: the command line.
        settings: the settings, `bert_order` and `w_idf` among them.
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
            StaticEncoder(_skipgram(arguments, settings, sentences))
            if name == SKIPGRAM
            else find_encoder(name),
            settings["bert_order"],
            settings["w_idf"],
        )
        for name in chosen_vectors(arguments)
    ]
    return (
        MultiResolution(tuple(mixtures)),
        InverseDocumentFrequency.of(sentences),
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
