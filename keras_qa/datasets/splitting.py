"""Random samples of streams, and random division of questions into splits."""

from collections.abc import Iterable
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.datasets.dataset import Question
from keras_qa.text.normal_forms import words_of

T = TypeVar("T")


def sample(items: Iterable[T], size: int, seed: int = 0) -> list[T]:
    """Draws items from a stream of unknown length, without replacement.

    Only the sample is in memory (reservoir sampling, Vitter 1985, algorithm
    R); every set of `size` items is equally likely.

    Args:
        items: the stream; it is read to its end.
        size: number of items to draw; a shorter stream is taken completely.
        seed: seed of the draws.

    Returns:
        The items in the order of the stream.

    Raises:
        ValueError: if `size` is not positive.
    """
    check_positive(size=size)
    rng = np.random.default_rng(seed)
    chosen: list[tuple[int, T]] = []
    for number, item in enumerate(items):
        if number < size:
            chosen.append((number, item))
        elif (place := int(rng.integers(number + 1))) < size:
            chosen[place] = number, item
    return [item for _, item in sorted(chosen, key=lambda pair: pair[0])]


def split_questions(
    questions: Sequence[Question], shares: Sequence[float], seed: int = 0
) -> list[list[Question]]:
    """Divides questions at random; equal ones stay together.

    Texts that differ only in case, white space and punctuation are equal, and
    would otherwise be both trained on and tested.

    Args:
        questions: the questions.
        shares: the relative sizes of the parts, in distinct texts.
        seed: seed of the division.

    Returns:
        A list for each share, in the order of `questions`.

    Raises:
        ValueError: if a share is negative or not finite, or all are 0.
    """
    sizes = np.asarray(shares, dtype=float)
    if not (np.isfinite(sizes).all() and (sizes >= 0).all() and sizes.sum()):
        raise ValueError(
            "`shares` must be numbers of at least 0, not all 0. "
            f"Received: shares={list(shares)}"
        )
    texts = [words_of(question.text) for question in questions]
    distinct = list(dict.fromkeys(texts))
    order = np.random.default_rng(seed).permutation(len(distinct))
    ends = np.round(np.cumsum(sizes) / sizes.sum() * len(distinct))
    part_of = {
        distinct[i]: int(np.searchsorted(ends, place, side="right"))
        for place, i in enumerate(order)
    }
    parts: list[list[Question]] = [[] for _ in shares]
    for question, text in zip(questions, texts, strict=True):
        parts[part_of[text]].append(question)
    return parts
