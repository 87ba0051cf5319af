"""Encoders give words vectors: a BERT, an ELMo, or a file of word vectors.

All have layers, of which some are asked for; a file has one. What a BERT or an
ELMo computed is kept on disk (`keras_qa.embeddings.cache`); the vectors of
a file are looked up, those of unknown words put together from subwords where
the file is a fastText model.
"""

import abc
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from functools import partial

import numpy as np
from gensim.models import KeyedVectors

from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.bert.source import MINILM
from keras_qa.embeddings.bert.vectors import bert_rows
from keras_qa.embeddings.cache import computed_once
from keras_qa.embeddings.elmo.encoder import Elmo
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.loaders import load_vectors
from keras_qa.embeddings.matrix import embedding_matrix
from keras_qa.embeddings.texts import Text

BERT = "bert:"
ELMO = "elmo:"
Rows = Iterator[tuple[int, np.ndarray]]

# Takes the kind, the texts, the cache's folder and whether to show progress.
Reader = Callable[[str, Sequence[Text], PathLike | None, bool], Rows]


class Encoder(abc.ABC):
    """Gives the words of texts vectors, in layers.

    Args:
        source: where its vectors come from.
    """

    def __init__(self, source: PathLike | KeyedVectors):
        self.source = source
        self._readers: dict[tuple[int, ...], Reader] = {}

    @abc.abstractmethod
    def reader(self, layers: tuple[int, ...]) -> Reader:
        """What reads texts by some layers, side by side in its vectors.

        Raises:
            ImportError: if a package is missing.
            VectorsError: if a file is missing or bad.
            ValueError: if there is no such layer.
        """

    def rows(
        self,
        kind: str,
        texts: Sequence[Text],
        layers: Sequence[int],
        cache_dir: PathLike | None = None,
        progress: bool = True,
    ) -> Rows:
        """The vectors of texts.

        Args:
            kind: `"text"`, or `"word"` for texts of one word
                alone.
            texts: distinct texts, each of at least one word.
            layers: the layers: 0 is what goes into the network, -1 what comes
                out of it.
            cache_dir: folder for what is computed; None takes
                `keras_qa.embeddings.cache.default_cache_dir()`.
            progress: show a progress bar while vectors are computed.

        Yields:
            Number of a text and its vectors, float32 `(layers, words,
            width)`, in no particular order. A word without vector
            has zeros.

        Raises:
            ImportError, VectorsError, ValueError: as `reader`.
        """
        key = tuple(layers)
        if key not in self._readers:
            self._readers[key] = self.reader(key)
        for i, rows in self._readers[key](kind, texts, cache_dir, progress):
            apart = rows.reshape(len(rows), len(key), -1)
            yield i, apart.swapaxes(0, 1)


class BertEncoder(Encoder):
    """A BERT; see `keras_qa.embeddings.bert.network.Bert`.

    Args:
        source: which BERT.
    """

    def __init__(self, source: PathLike = MINILM):
        super().__init__(source)

    def reader(self, layers: tuple[int, ...]) -> Reader:
        """As `Encoder.reader`."""
        return partial(bert_rows, Bert(self.source, layers, combine="concat"))


class ElmoEncoder(Encoder):
    """An ELMo; see `keras_qa.embeddings.elmo.encoder.Elmo`.

    Args:
        source: directory of its files.
    """

    def reader(self, layers: tuple[int, ...]) -> Reader:
        """As `Encoder.reader`."""
        return partial(_elmo_rows, Elmo(self.source, layers))


class StaticEncoder(Encoder):
    """Word vectors that are the same in all texts, in one layer.

    Args:
        source: a file of any format that `load_vectors` reads, such as a
            fastText model, or vectors that were loaded.
    """

    def reader(self, layers: tuple[int, ...]) -> Reader:
        """As `Encoder.reader`; nothing is computed, nor cached."""
        if set(layers) - {0, -1}:
            raise ValueError(
                f"`layers` must be 0 or -1: word vectors have one layer. "
                f"Received: layers={list(layers)}"
            )
        return partial(_static_rows, self.source, len(layers))


def find_encoder(name: str) -> Encoder:
    """The encoder of a name, as scripts take it.

    Args:
        name: `"bert:"` and which BERT, `"elmo:"` and a directory, or the path
            of a file of word vectors.
    """
    if name.startswith(BERT):
        return BertEncoder(name.removeprefix(BERT))
    if name.startswith(ELMO):
        return ElmoEncoder(name.removeprefix(ELMO))
    return StaticEncoder(name)


def _elmo_rows(
    elmo: Elmo,
    kind: str,
    texts: Sequence[Text],
    cache_dir: PathLike | None,
    progress: bool,
) -> Rows:
    """As `bert_rows`, of an ELMo."""
    return computed_once(
        elmo.identity, kind, texts, elmo.encode, cache_dir, progress
    )


def _static_rows(
    source: PathLike | KeyedVectors,
    repeats: int,
    kind: str,
    texts: Sequence[Text],
    cache_dir: PathLike | None,
    progress: bool,
) -> Rows:
    """As `bert_rows`, of vectors that are looked up and repeated."""
    words = list(dict.fromkeys(word for text in texts for word in text))
    vectors = source
    if not isinstance(vectors, KeyedVectors):
        vectors = load_vectors(vectors, vocabulary=words)
    # The first row is not looked up.
    matrix, _ = embedding_matrix(["", *words], vectors, oov="zeros")
    row_of = {word: row for row, word in enumerate(words, start=1)}
    for i, text in enumerate(texts):
        found = matrix[[row_of[word] for word in text]]
        yield i, np.tile(found, repeats)
