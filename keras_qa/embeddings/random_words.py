"""Random vectors of words, each decided by a seed and the word alone."""

import hashlib
from collections.abc import Sequence

import numpy as np
from gensim.models import KeyedVectors

from keras_qa.arguments import check_collection
from keras_qa.arguments import check_positive


def word_generator(
    seed: int, place: int | str, word: str
) -> np.random.Generator:
    """A generator of random numbers that belongs to a word.

    Args:
        seed: the seed.
        place: what the numbers are for: other places get other numbers.
        word: the word.
    """
    # Python's `hash` of a string differs between processes.
    key = f"{seed} {place} {word}".encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(key, digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


def random_vectors(
    words: Sequence[str], dim: int = 100, seed: int = 0
) -> KeyedVectors:
    """One random vector for each word, by which texts can match exactly.

    The numbers are N(0, 1/dim): a vector's expected squared length is 1, and
    the cosine of two words has mean 0 and variance 1/dim. Next to other vectors
    these tell words apart that the others have close together, and words that
    they do not know. A vector depends on the seed and the word alone, as the
    random rows of `embedding_matrix` do.

    Args:
        words: the words, such as those of a vocabulary without padding.
        dim: width of the vectors.
        seed: the seed.

    Returns:
        float32 vectors in the order of the words, repetitions left out.

    Raises:
        ValueError: if there are no words, or `dim` is not a positive integer.
    """
    check_collection("words", words)
    check_positive(dim=dim)
    distinct = list(dict.fromkeys(words))
    if not distinct:
        raise ValueError("`words` must not be empty. Received: 0 words")
    rows = np.empty((len(distinct), dim), np.float32)
    for row, word in zip(rows, distinct, strict=True):
        row[:] = word_generator(seed, "random", word).normal(0, dim**-0.5, dim)
    vectors = KeyedVectors(dim)
    vectors.add_vectors(distinct, rows)
    return vectors
