"""Multi-resolution word vectors from any set of encoders.

The results are those of `f_mixture` and `f_ensemble`
(`keras_qa.embeddings.mixtures.combinations`), computed text by text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from gensim.models import KeyedVectors

from keras_qa.arguments import check_collection
from keras_qa.arguments import check_positive
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.mixtures.combinations import check_combination
from keras_qa.embeddings.mixtures.encoders import Rows
from keras_qa.embeddings.mixtures.layer_mixture import Idf
from keras_qa.embeddings.mixtures.layer_mixture import Mixture
from keras_qa.embeddings.texts import Text
from keras_qa.errors import VectorsError


@dataclass(frozen=True)
class MultiResolution:
    """Several mixtures and their ensemble (MRNN, Table 3).

    Attributes:
        mixtures: the mixtures.
        u: the weight of each mixture; None takes equal weights that sum to 1.
        combine: `"concat"` or `"sum"`.

    Raises:
        ValueError: if there are no mixtures, or `u` or `combine` is not
            allowed.

    Example:
        >>> idf = InverseDocumentFrequency.of(corpus.tokens)
        >>> source = multi_resolution(bert="minilm", fasttext="wiki.en.bin")
        >>> vectors = source.word_vectors(corpus.vocabulary.words[2:], idf)
        >>> matrix, coverage = embedding_matrix(
        ...     corpus.vocabulary.words, vectors
        ... )
    """

    mixtures: Sequence[Mixture]
    u: Sequence[float] | None = None
    combine: str = "concat"

    def __post_init__(self) -> None:
        if not self.mixtures or len(self.weights) != len(self.mixtures):
            raise ValueError(
                "`mixtures` must not be empty, and have a weight each. "
                f"Received: {len(self.mixtures)} mixtures, u={self.u}"
            )
        check_combination("combine", self.combine, "u", self.weights)

    @property
    def weights(self) -> Sequence[float]:
        """The weight of each mixture."""
        number = len(self.mixtures)
        return [1 / number] * number if self.u is None else self.u

    def word_vectors(
        self,
        words: Sequence[str],
        idf: Idf | None = None,
        *,
        cache_dir: PathLike | None = None,
        progress: bool = True,
    ) -> KeyedVectors:
        """Computes static vectors, by encoding each word alone.

        Args:
            words: the words, such as those of a vocabulary.
            idf: the inverse document frequencies of words, such as an
                `InverseDocumentFrequency`; required if a mixture's `w_idf` is
                not 0.
            cache_dir: folder of the cache; None takes
                `keras_qa.embeddings.cache.default_cache_dir()`.
            progress: True shows a progress bar while vectors are computed.

        Returns:
            float32 vectors of the distinct words in the given order. A word
            that no encoder knows has no vector; an encoder that does not know
            a word contributes zeros.

        Raises:
            ImportError, VectorsError, ValueError: see `Encoder.rows`; also
                VectorsError if no word has a vector, ValueError if an
                argument is out of range.
        """
        check_collection("words", words)
        distinct = list(dict.fromkeys(words))
        texts = [(word,) for word in distinct]
        starts = np.arange(len(texts))
        matrix = self._fill(
            "word",
            texts,
            starts,
            len(texts),
            idf,
            "float32",
            cache_dir,
            progress,
        )
        known = np.flatnonzero(matrix.any(axis=1))
        if not len(known):
            raise VectorsError(
                "`words` must hold words that an encoder knows. "
                f"Received: {len(words)} words, {list(words[:3])} and so on"
            )
        vectors = KeyedVectors(matrix.shape[1])
        vectors.add_vectors([distinct[i] for i in known], matrix[known])
        return vectors

    def text_vectors(
        self,
        texts: Sequence[Sequence[str]],
        length: int | None = None,
        idf: Idf | None = None,
        *,
        dtype: str = "float32",
        cache_dir: PathLike | None = None,
        progress: bool = True,
    ) -> np.ndarray:
        """Computes contextual vectors of the words of texts, padded.

        With Table 2's sizes, 4·768 + 1024 + 300 numbers for each position, the
        result takes 17.6 KB per position in float32. Calls for batches of
        texts of similar lengths keep it small. Each call reads its files anew:
        for many calls, give loaded vectors and `cache_dir`.

        Args:
            texts: the words of each text.
            length: number of words that texts are cut to before they are read;
                None takes the length of the longest.
            idf: as for `word_vectors`.
            dtype: `"float32"` or `"float16"`.
            cache_dir: as for `word_vectors`.
            progress: as for `word_vectors`.

        Returns:
            `(texts, length, width)`, zero beyond a text's words.

        Raises:
            ImportError, VectorsError, ValueError: see `word_vectors`.
        """
        if length is None:
            length = max((len(text) for text in texts), default=0) or 1
        check_positive(length=length)
        cut = _checked([text[:length] for text in texts], dtype)
        starts = length * np.arange(len(cut))
        flat = self._fill(
            "text",
            cut,
            starts,
            length * len(cut),
            idf,
            dtype,
            cache_dir,
            progress,
        )
        return flat.reshape(len(cut), length, -1)

    def ragged_vectors(
        self,
        texts: Sequence[Sequence[str]],
        idf: Idf | None = None,
        *,
        dtype: str = "float32",
        cache_dir: PathLike | None = None,
        progress: bool = True,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Computes contextual vectors, concatenated without padding.

        Args:
            texts: the words of each text.
            idf: as for `word_vectors`.
            dtype: `"float32"` or `"float16"`.
            cache_dir: as for `word_vectors`.
            progress: as for `word_vectors`.

        Returns:
            The vectors of all texts, `(words, width)`, and the offsets of the
            texts, int64 `(texts + 1,)`.

        Raises:
            ImportError, VectorsError, ValueError: see `word_vectors`.
        """
        whole = _checked(texts, dtype)
        ends = np.cumsum([0, *map(len, whole)], dtype=np.int64)
        vectors = self._fill(
            "text",
            whole,
            ends[:-1],
            int(ends[-1]),
            idf,
            dtype,
            cache_dir,
            progress,
        )
        return vectors, ends

    def _fill(
        self,
        kind: str,
        texts: Sequence[Text],
        starts: np.ndarray,
        size: int,
        idf: Idf | None,
        dtype: str,
        cache_dir: PathLike | None,
        progress: bool,
    ) -> np.ndarray:
        """The vectors of texts, which may be empty or repeated.

        Args:
            kind: as for `Encoder.rows`.
            texts: the texts.
            starts: the row of each text's first word, `(texts,)`.
            size: number of rows.
            idf: as for `word_vectors`.
            dtype: dtype of the result.
            cache_dir: as for `word_vectors`.
            progress: as for `word_vectors`.

        Returns:
            `(size, width)`, zero in rows without a word.
        """
        places: dict[Text, list[int]] = {}
        for i, text in enumerate(texts):
            if text:
                places.setdefault(text, []).append(int(starts[i]))
        distinct = list(places)
        if not distinct:
            raise ValueError("Expected a text with words. Received: none")
        parts: list[tuple[float, int, Rows]] = []
        for mixture, weight in zip(self.mixtures, self.weights, strict=True):
            if not weight:
                continue
            rows = mixture.rows(kind, distinct, idf, cache_dir, progress)
            # The first text's vectors show the width.
            first = next(rows)
            width = first[1].shape[1]
            parts.append((weight, width, chain([first], rows)))
        widths = [width for _, width, _ in parts]
        if self.combine == "sum" and len(set(widths)) > 1:
            raise ValueError(
                "`mixtures` must have one width to be summed. "
                f"Received: widths {widths}"
            )
        total = widths[0] if self.combine == "sum" else sum(widths)
        vectors = np.zeros((size, total), dtype)
        start = 0
        for weight, width, rows in parts:
            for i, found in rows:
                scaled = np.float32(weight) * found
                columns = slice(start, start + width)
                for row in places[distinct[i]]:
                    vectors[row : row + len(found), columns] += scaled
            if self.combine == "concat":
                start += width
        return vectors


def _checked(texts: Sequence[Sequence[str]], dtype: str) -> list[Text]:
    """Checks texts and a dtype; returns the texts as tuples."""
    check_collection("texts", texts)
    for text in texts:
        check_collection("texts", text)
    if not any(map(len, texts)):
        raise ValueError(
            f"`texts` must hold words. Received: {len(texts)} texts without any"
        )
    if dtype not in ("float32", "float16"):
        raise ValueError(
            f"`dtype` must be 'float32' or 'float16'. Received: dtype={dtype!r}"
        )
    return [tuple(text) for text in texts]
