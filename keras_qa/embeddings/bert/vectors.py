"""Vectors of a BERT, for words alone and for words in their texts.

What was computed is kept on disk (`keras_qa.embeddings.cache`), so that it
is computed once: each text is found again by its words, the BERT's files and
the layers. An interrupted computation goes on where it was.
"""

from collections.abc import Iterator
from collections.abc import Sequence

import numpy as np
from gensim.models import KeyedVectors

from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.bert.source import MINILM
from keras_qa.embeddings.bert.word_pieces import encode_words
from keras_qa.embeddings.cache import computed_once
from keras_qa.embeddings.components import PrincipalComponents
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.texts import Text
from keras_qa.embeddings.texts import check_collection
from keras_qa.errors import VectorsError


def bert_word_vectors(
    words: Sequence[str],
    source: PathLike = MINILM,
    *,
    layers: int | Sequence[int] = -1,
    dim: int | None = None,
    rms: float | None = None,
    cache_dir: PathLike | None = None,
    progress: bool = True,
) -> KeyedVectors:
    """Static vectors: each word is run through a BERT alone.

    The vector of a word is the mean of the states of its pieces; those of
    [CLS] and [SEP] are left out. They can be used like vectors from a file,
    and be saved as one with `save_word2vec_format`.

    Args:
        words: the words, such as those of a vocabulary, in their own case.
        source: which BERT: `"minilm"`, a directory, or a keras-hub preset;
            see `keras_qa.embeddings.bert.source.find_bert`.
        layers: the layer whose states are taken, or several that are
            averaged: 0 is what goes into the first layer, -1 is what comes
            out of the last.
        dim: number of principal components to keep, of the vectors of these
            words; None keeps all dimensions as they are.
        rms: multiply all vectors by the number that makes this the root of the
            mean square of their entries; None leaves them. MiniLM's is about
            .6, and .9 with 100 components; that of entries from U(-.3, .3) is
            .17.
        cache_dir: folder for what was computed; None takes
            `keras_qa.embeddings.cache.default_cache_dir()`.
        progress: show a progress bar while vectors are computed.

    Returns:
        float32 vectors in the order of the words, repetitions left out. A
        word that has no piece, or none but [UNK], has no vector.

    Raises:
        ImportError: if keras-hub, or the package of `"minilm"`, is missing.
        VectorsError: if no directory of a BERT is at `source`, or no word has
            a vector.
        ValueError: if an argument is bad, or keras-hub knows no such preset.

    Example:
        >>> vectors = bert_word_vectors(corpus.vocabulary.words, dim=100)
        >>> matrix, coverage = embedding_matrix(
        ...     corpus.vocabulary.words, vectors, scale=0.3
        ... )
    """
    check_collection("words", words)
    bert = Bert(source, layers)
    found = {}
    texts = [(word,) for word in dict.fromkeys(words)]
    for i, rows in bert_rows(bert, "word", texts, cache_dir, progress):
        if rows.any():
            found[i] = rows[0]
    if not found:
        raise VectorsError(
            f"`words` must hold words that {source} can read. "
            f"Received: {len(words)} words, {list(words[:3])} and so on"
        )
    chosen = sorted(found)
    matrix = np.stack([found[i] for i in chosen])
    if dim is not None:
        matrix = PrincipalComponents.fit(matrix, dim).apply(matrix)
    if rms is not None:
        matrix *= _factor(matrix, rms)
    vectors = KeyedVectors(matrix.shape[1])
    vectors.add_vectors([texts[i][0] for i in chosen], matrix)
    return vectors


def bert_text_vectors(
    texts: Sequence[Sequence[str]],
    source: PathLike = MINILM,
    length: int | None = None,
    *,
    layers: int | Sequence[int] = -1,
    dim: int | None = None,
    rms: float | None = None,
    cache_dir: PathLike | None = None,
    progress: bool = True,
) -> np.ndarray:
    """Contextual vectors: of each word in the context of its text.

    A text is read as a whole, as
    `keras_qa.embeddings.bert.word_pieces.encode_words` says, and the states of
    a word's pieces are averaged.

    Args:
        texts: the words of each text, in their own case.
        source: which BERT, as for `bert_word_vectors`.
        length: texts are cut to this number of words before they are read; None
            takes the length of the longest.
        layers: as for `bert_word_vectors`.
        dim: number of principal components to keep, of the vectors of all words
            of these texts; None keeps all dimensions as they are.
        rms: as for `bert_word_vectors`, over all words of these texts.
        cache_dir: as for `bert_word_vectors`.
        progress: show a progress bar while vectors are computed.

    Returns:
        float32 `(texts, length, width or dim)`, zeros behind a text's words
        and for a word without pieces, such as an empty one.

    Raises:
        ImportError, VectorsError, ValueError: as `bert_word_vectors`.
    """
    check_collection("texts", texts)
    for text in texts:
        check_collection("texts", text)
    if length is None:
        length = max((len(text) for text in texts), default=0)
    if length < 0:
        raise ValueError(
            f"`length` must not be negative. Received: length={length}"
        )
    bert = Bert(source, layers)
    cut = [tuple(text[:length]) for text in texts]
    distinct = [text for text in dict.fromkeys(cut) if text]
    places: dict[Text, list[int]] = {}
    for i, text in enumerate(cut):
        places.setdefault(text, []).append(i)
    vectors: np.ndarray | None = None
    for i, rows in bert_rows(bert, "text", distinct, cache_dir, progress):
        if vectors is None:
            vectors = np.zeros((len(texts), length, rows.shape[1]), np.float32)
        vectors[places[distinct[i]], : len(rows)] = rows
    if vectors is None:
        vectors = np.zeros((len(texts), length, bert.width), np.float32)
    # A BERT ends with a normalisation: none of its states is zero.
    real = vectors.any(axis=-1)
    if dim is not None:
        components = PrincipalComponents.fit(vectors[real], dim)
        reduced = np.zeros((*vectors.shape[:2], dim), np.float32)
        reduced[real] = components.apply(vectors[real])
        vectors = reduced
    if rms is not None:
        vectors *= _factor(vectors[real], rms)
    return vectors


def bert_rows(
    bert: Bert,
    kind: str,
    texts: Sequence[Text],
    cache_dir: PathLike | None,
    progress: bool,
) -> Iterator[tuple[int, np.ndarray]]:
    """Rows of texts, computed once.

    Args:
        bert: the BERT.
        kind: `"text"`, or `"word"` for texts of one word, whose row is zero
            if the BERT cannot read it.
        texts: distinct texts, each of at least one word.
        cache_dir: as for `bert_word_vectors`.
        progress: as for `bert_word_vectors`.

    Yields:
        Number of a text and its vectors, float32 `(words, bert.width)`.
    """

    def encode(chosen: list[Text]) -> list[np.ndarray]:
        rows = encode_words(bert, chosen)
        if kind == "text":
            return rows
        return [
            row * any(i != bert.unknown for i in bert.pieces(text)[text[0]])
            for text, row in zip(chosen, rows, strict=True)
        ]

    return computed_once(
        bert.identity, kind, texts, encode, cache_dir, progress
    )


def _factor(vectors: np.ndarray, rms: float) -> float:
    if not 0 < rms < np.inf:
        raise ValueError(
            f"`rms` must be positive and finite. Received: rms={rms}"
        )
    found = np.sqrt(np.mean(np.square(vectors, dtype=np.float64)))
    return rms / max(float(found), 1e-30)
