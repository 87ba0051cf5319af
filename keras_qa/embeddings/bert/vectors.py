"""Static and contextual vectors of a BERT.

Vectors are computed once and cached on disk (`keras_qa.embeddings.cache`), by
the words of a text, the BERT's files and the layers. An interrupted
computation can be continued.
"""

from collections.abc import Iterator
from collections.abc import Sequence

import numpy as np
from gensim.models import KeyedVectors

from keras_qa.arguments import check_collection
from keras_qa.arguments import check_not_negative
from keras_qa.embeddings.bert.network import Bert
from keras_qa.embeddings.bert.source import MINILM
from keras_qa.embeddings.bert.word_pieces import encode_words
from keras_qa.embeddings.cache import computed_once
from keras_qa.embeddings.components import PrincipalComponents
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.texts import Text
from keras_qa.errors import VectorsError
from keras_qa.text.vector_texts import VectorTexts


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
    """Computes static vectors, by encoding each word alone with a BERT.

    The vector of a word is the mean of the states of its pieces, without those
    of [CLS] and [SEP]. `save_word2vec_format` saves the vectors to a file.

    Args:
        words: the words, such as those of a vocabulary, with original case.
        source: `"minilm"`, a directory, or a keras-hub preset; see
            `keras_qa.embeddings.bert.source.find_bert`.
        layers: one or several layers whose states are averaged: 0 is the input
            of the first layer, -1 the output of the last.
        dim: number of principal components of these words' vectors to keep;
            None keeps the vectors unchanged.
        rms: root mean square of all entries to which the vectors are scaled;
            None does not scale. MiniLM's is about .6, and .9 with 100
            components; that of entries from U(-.3, .3) is .17.
        cache_dir: folder of the cache; None takes
            `keras_qa.embeddings.cache.default_cache_dir()`.
        progress: True shows a progress bar while vectors are computed.

    Returns:
        float32 vectors of the distinct words in the given order. A word
        without pieces other than [UNK] has no vector.

    Raises:
        ImportError: if keras-hub, or the package of `"minilm"`, is missing.
        VectorsError: if `source` is no directory of a BERT, or no word has a
            vector.
        ValueError: if an argument is out of range, or keras-hub does not know
            the preset.

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
) -> VectorTexts:
    """Computes contextual vectors of the words of texts.

    The states of a word's pieces are averaged; see
    `keras_qa.embeddings.bert.word_pieces.encode_words`.

    Args:
        texts: the words of each text, with original case.
        source: as for `bert_word_vectors`.
        length: number of words that texts are cut to before they are read; None
            reads them whole.
        layers: as for `bert_word_vectors`.
        dim: as for `bert_word_vectors`, with components of all words of these
            texts.
        rms: as for `bert_word_vectors`, over all words of these texts.
        cache_dir: as for `bert_word_vectors`.
        progress: as for `bert_word_vectors`.

    Returns:
        The texts' vectors, float32 of the BERT's width or `dim`, zero for a
        word without pieces, such as an empty one. `padded` has them as one
        array.

    Raises:
        ImportError, VectorsError, ValueError: as `bert_word_vectors`.
    """
    check_collection("texts", texts)
    for text in texts:
        check_collection("texts", text)
    if length is not None:
        check_not_negative(length=length)
    bert = Bert(source, layers)
    cut = [tuple(text[:length]) for text in texts]
    distinct = [text for text in dict.fromkeys(cut) if text]
    offsets = np.cumsum([0, *map(len, cut)], dtype=np.int64)
    starts: dict[Text, list[int]] = {}
    for text, start in zip(cut, offsets[:-1], strict=True):
        starts.setdefault(text, []).append(start)
    vectors: np.ndarray | None = None
    for i, rows in bert_rows(bert, "text", distinct, cache_dir, progress):
        if vectors is None:
            vectors = np.empty((offsets[-1], rows.shape[1]), np.float32)
        for start in starts[distinct[i]]:
            vectors[start : start + len(rows)] = rows
    if vectors is None:
        vectors = np.zeros((0, bert.width), np.float32)
    # The final layer normalisation makes all states of a BERT nonzero.
    real = vectors.any(axis=-1)
    if dim is not None:
        components = PrincipalComponents.fit(vectors[real], dim)
        reduced = np.zeros((len(vectors), dim), np.float32)
        reduced[real] = components.apply(vectors[real])
        vectors = reduced
    if rms is not None:
        vectors *= _factor(vectors[real], rms)
    return VectorTexts(vectors, offsets)


def bert_rows(
    bert: Bert,
    kind: str,
    texts: Sequence[Text],
    cache_dir: PathLike | None,
    progress: bool,
) -> Iterator[tuple[int, np.ndarray]]:
    """Vectors of texts, from the cache or computed.

    Args:
        bert: the BERT.
        kind: `"text"`, or `"word"` for texts of one word, whose vector is zero
            if it has no piece other than [UNK].
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
