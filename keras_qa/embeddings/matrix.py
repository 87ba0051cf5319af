"""From vectors and a vocabulary to the matrix of an embedding layer."""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from gensim.models import KeyedVectors
from gensim.models.fasttext import FastTextKeyedVectors

from keras_qa.arguments import check_choice
from keras_qa.embeddings.formats.fasttext import has_subwords
from keras_qa.embeddings.random_words import word_generator
from keras_qa.embeddings.scaling import WordScaling

OOV = ("uniform", "normal", "zeros")


@dataclass(frozen=True, slots=True)
class Share:
    """How much of something is covered.

    Attributes:
        covered: number of words with a vector.
        total: number of all words.
    """

    covered: int
    total: int

    @property
    def fraction(self) -> float:
        """Covered part, between 0 and 1; 1 of nothing."""
        return self.covered / self.total if self.total else 1.0

    def __str__(self) -> str:
        return f"{self.covered:,} of {self.total:,} ({self.fraction:.1%})"


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which part of a vocabulary has vectors.

    Attributes:
        words: distinct words with a vector, for each set of vectors.
        any_words: distinct words with a vector in at least one set.
        running: the same as `words`, each word counted as often as it
            occurs; empty if no counts were given.
        any_running: the same as `any_words`, likewise; None without counts.
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

    Several sets of vectors are put side by side; where one of them does not
    know a word, only its columns are filled at random. A random row depends
    on the seed, the word and the position of the set alone: it stays the same
    when the vocabulary grows or changes its order.

    Args:
        words: the words in the order of their ids. The first is padding,
            whatever it is called, and gets zeros.
        vectors: one or more sets of vectors. Of a fastText model, words that
            have at least one subword count as known.
        seed: seed of the random rows.
        oov: rows of unknown words: `"uniform"`, U(-scale, scale);
            `"normal"`, N(0, scale²); `"zeros"`.
        scale: half width or standard deviation of the random rows; U(-.25,
            .25) is the usual choice since Kim, "Convolutional neural networks
            for sentence classification", EMNLP 2014, section 3.1.
        counts: how often each word occurs. With them, coverage of running
            words is reported, and words that do not occur are left out of the
            coverage.
        lowercase_fallback: look an unknown word up in lower case.
        scaling: the lengths of the vectors of each set, random rows included;
            None keeps all as they are.

    Returns:
        `(matrix, coverage)`: float32 `(len(words), sum of widths)`, and the
        part of `words[1:]` that has vectors.

    Raises:
        ValueError: if there are no words or vectors, or an argument is bad.
    """
    sets = [vectors] if isinstance(vectors, KeyedVectors) else list(vectors)
    if not sets or not len(words):
        raise ValueError(
            "`words` and `vectors` must not be empty. "
            f"Received: {len(words)} words, {len(sets)} sets of vectors"
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
    """The key under which a set of vectors knows a word."""
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
    """Shares per set and in any set, each word counted `times` times."""
    total = int(times.sum())
    known_times: Iterable[int] = (known @ times).tolist()
    any_times = int(times[known.any(axis=0)].sum())
    return (
        tuple(Share(covered, total) for covered in known_times),
        Share(any_times, total),
    )
