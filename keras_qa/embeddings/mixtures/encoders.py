"""Encoders of words: a BERT, an ELMo, or a file of word vectors.

An encoder has layers; a file has one. The vectors of a BERT or an ELMo are
cached on disk (`keras_qa.embeddings.cache`); those of a file are looked up, or
composed of subwords for unknown words and a fastText model.
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

# A function of `kind`, `texts`, `cache_dir` and `progress`; see `Encoder.rows`.
Reader = Callable[[str, Sequence[Text], PathLike | None, bool], Rows]


class Encoder(abc.ABC):
    """Computes vectors of the words of texts, in layers.

    Args:
        source: path, name or vectors from which the encoder is made.
    """

    def __init__(self, source: PathLike | KeyedVectors):
        self.source = source
        self._readers: dict[tuple[int, ...], Reader] = {}

    @abc.abstractmethod
    def reader(self, layers: tuple[int, ...]) -> Reader:
        """Returns a function that reads texts, with the layers concatenated.

        Raises:
            ImportError: if a package is missing.
            VectorsError: if a file is missing or bad.
            ValueError: if a layer does not exist.
        """

    def rows(
        self,
        kind: str,
        texts: Sequence[Text],
        layers: Sequence[int],
        cache_dir: PathLike | None = None,
        progress: bool = True,
    ) -> Rows:
        """Computes the vectors of texts.

        Args:
            kind: `"text"`, or `"word"` for texts of one word.
            texts: distinct texts, each of at least one word.
            layers: the layers: 0 is the input of the network, -1 its output.
            cache_dir: folder of the cache; None takes
                `keras_qa.embeddings.cache.default_cache_dir()`.
            progress: True shows a progress bar while vectors are computed.

        Yields:
            Number of a text and its vectors, float32 `(layers, words,
            width)`, in no particular order; zero for a word without vector.

        Raises:
            ImportError, VectorsError, ValueError: see `reader`.
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
        source: name or directory of a BERT.
    """

    def __init__(self, source: PathLike = MINILM):
        super().__init__(source)

    def reader(self, layers: tuple[int, ...]) -> Reader:
        """See `Encoder.reader`."""
        return partial(bert_rows, Bert(self.source, layers, combine="concat"))


class ElmoEncoder(Encoder):
    """An ELMo; see `keras_qa.embeddings.elmo.encoder.Elmo`.

    Args:
        source: directory of the ELMo's files.
    """

    def reader(self, layers: tuple[int, ...]) -> Reader:
        """See `Encoder.reader`."""
        return partial(_elmo_rows, Elmo(self.source, layers))


class StaticEncoder(Encoder):
    """Static word vectors, in one layer.

    Args:
        source: loaded vectors, or a file of any format that `load_vectors`
            reads, such as a fastText model.
    """

    def reader(self, layers: tuple[int, ...]) -> Reader:
        """See `Encoder.reader`; the vectors are looked up, not cached."""
        if set(layers) - {0, -1}:
            raise ValueError(
                f"`layers` must be 0 or -1: word vectors have one layer. "
                f"Received: layers={list(layers)}"
            )
        return partial(_static_rows, self.source, len(layers))


def find_encoder(name: str) -> Encoder:
    """Makes the encoder of a name on the command line.

    Args:
        name: `"bert:"` and the name or directory of a BERT, `"elmo:"` and a
            directory, or the path of a file of word vectors.
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
    """Like `bert_rows`, for an ELMo."""
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
    """Like `bert_rows`, for looked-up vectors, repeated for each layer."""
    words = list(dict.fromkeys(word for text in texts for word in text))
    vectors = source
    if not isinstance(vectors, KeyedVectors):
        vectors = load_vectors(vectors, vocabulary=words)
    # The first row is that of padding.
    matrix, _ = embedding_matrix(["", *words], vectors, oov="zeros")
    row_of = {word: row for row, word in enumerate(words, start=1)}
    for i, text in enumerate(texts):
        found = matrix[[row_of[word] for word in text]]
        yield i, np.tile(found, repeats)
