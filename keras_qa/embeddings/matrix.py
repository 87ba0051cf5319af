"""The matrix of an embedding layer, from vectors and a vocabulary."""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from gensim.models import KeyedVectors
from gensim.models.fasttext import FastTextKeyedVectors

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_collection
from keras_qa.embeddings.formats.fasttext import has_subwords
from keras_qa.embeddings.random_words import word_generator
from keras_qa.embeddings.scaling import WordScaling

OOV = ("uniform", "normal", "zeros")


@dataclass(frozen=True, slots=True)
class Share:
    """The share of words that have a vector.

    Attributes:
        covered: number of words with a vector.
        total: number of all words.
    """

    covered: int
    total: int

    @property
    def fraction(self) -> float:
        """The covered fraction, between 0 and 1; 1 if there are no words."""
        return self.covered / self.total if self.total else 1.0

    def __str__(self) -> str:
        return f"{self.covered:,} of {self.total:,} ({self.fraction:.1%})"


@dataclass(frozen=True, slots=True)
class Coverage:
    """The shares of a vocabulary that have vectors.

    Attributes:
        words: share of distinct words with a vector, for each set of vectors.
        any_words: share of distinct words with a vector in at least one set.
        running: `words` with each word weighted by its count; empty if no
            counts were given.
        any_running: `any_words` with each word weighted by its count; None if
            no counts were given.
    """

    words: tuple[Share, ...]
    any_words: Share
    running: tuple[Share, ...] = ()
    any_running: Share | None = None

    def __str__(self) -> str:
        lines = []
        for i, share in enumerate(self.words):
            running = f", running {self.running[i]}" if self.running else ""
            lines.append(f"vectors {i + 1}: words {share}{running}")
        return "\n".join(lines)


def embedding_matrix(
    words: Sequence[str],
    vectors: KeyedVectors | Sequence[KeyedVectors],
    seed: int = 0,
    oov: str = "uniform",
    scale: float = 0.25,
    counts: Mapping[str, int] | None = None,
    lowercase_fallback: bool = False,
    scaling: WordScaling | None = None,
) -> tuple[np.ndarray, Coverage]:
    """Builds the matrix whose row `i` is the vector of the word with id `i`.

    Several sets of vectors are concatenated; where one of them lacks a word,
    only its columns are random. A random row depends only on the seed, the
    word and the position of the set, not on the vocabulary.

    Args:
        words: the words in the order of their ids. The first is padding,
            whatever its text, and gets zeros.
        vectors: one or more sets of vectors. A fastText model knows all words
            that have at least one subword.
        seed: seed of the random rows.
        oov: rows of unknown words: `"uniform"`, U(-scale, scale);
            `"normal"`, N(0, scale²); `"zeros"`.
        scale: half width or standard deviation of the random rows; U(-.25,
            .25) is the usual choice since Kim, "Convolutional neural networks
            for sentence classification", EMNLP 2014, section 3.1.
        counts: number of occurrences of each word. If given, words that do not
            occur are ignored in the coverage, which also gets `running`.
        lowercase_fallback: True looks up unknown words in lower case.
        scaling: the lengths of the vectors of each set, random rows included;
            None keeps them.

    Returns:
        `(matrix, coverage)`: float32 `(len(words), sum of widths)`, and the
        coverage of `words[1:]`.

    Raises:
        ValueError: if there are no words or vectors, these are of another
            type, or `oov` or `scale` is not allowed.
    """
    sets = [vectors] if isinstance(vectors, KeyedVectors) else list(vectors)
    if not sets or not len(words):
        raise ValueError(
            "`words` and `vectors` must not be empty. "
            f"Received: {len(words)} words, {len(sets)} sets of vectors"
        )
    check_collection("words", words)
    if other := [one for one in sets if not isinstance(one, KeyedVectors)]:
        raise ValueError(
            "`vectors` must be gensim's, as `load_vectors` returns them. "
            f"Received: {type(other[0]).__name__}"
        )
    check_choice("oov", oov, OOV)
    if not 0 <= scale < np.inf:
        raise ValueError(
            f"`scale` must be finite and not negative. Received: scale={scale}"
        )
    blocks = []
    known = np.zeros((len(sets), len(words)), dtype=bool)
    for position, one in enumerate(sets):
        block = np.zeros((len(words), one.vector_size), dtype=np.float32)
        for row, word in enumerate(words[1:], start=1):
            key = _find(one, word, lowercase_fallback)
            if key is not None:
                known[position, row] = True
                block[row] = one[key]
            elif oov != "zeros":
                rng = word_generator(seed, position, word)
                draw = rng.uniform if oov == "uniform" else rng.normal
                low = -scale if oov == "uniform" else 0.0
                block[row] = draw(low, scale, one.vector_size)
        if scaling is not None:
            block = scaling(block, known[position])
        blocks.append(block)
    return np.hstack(blocks), _coverage(words[1:], known[:, 1:], counts)


def _find(
    vectors: KeyedVectors, word: str, lowercase_fallback: bool
) -> str | None:
    """The key of a word in a set of vectors, or None."""
    keys = [word, word.lower()] if lowercase_fallback else [word]
    for key in keys:
        if vectors.has_index_for(key):
            return key
    if isinstance(vectors, FastTextKeyedVectors) and has_subwords(
        vectors, word
    ):
        return word
    return None


def _coverage(
    words: Sequence[str],
    known: np.ndarray,
    counts: Mapping[str, int] | None,
) -> Coverage:
    if counts is None:
        return Coverage(*_shares(known, np.ones(len(words), dtype=np.int64)))
    times = np.fromiter((counts.get(w, 0) for w in words), dtype=np.int64)
    occur = np.minimum(times, 1)
    return Coverage(*_shares(known, occur), *_shares(known, times))


def _shares(
    known: np.ndarray, times: np.ndarray
) -> tuple[tuple[Share, ...], Share]:
    """The shares per set and in any set, with words weighted by `times`."""
    total = int(times.sum())
    known_times: Iterable[int] = (known @ times).tolist()
    any_times = int(times[known.any(axis=0)].sum())
    return (
        tuple(Share(covered, total) for covered in known_times),
        Share(any_times, total),
    )
