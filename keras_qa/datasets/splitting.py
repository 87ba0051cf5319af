"""A random sample of a stream, and a random division into splits."""

from collections.abc import Iterable
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from keras_qa.datasets.dataset import Question
from keras_qa.text.tokenizer import lower_case

T = TypeVar("T")


def normal_text(text: str) -> str:
    """The same string for texts that differ in case and white space only."""
    return " ".join(lower_case(text).split())


def sample(items: Iterable[T], size: int, seed: int = 0) -> list[T]:
    """Draws items from a stream of unknown length, without replacement.

    Only the sample is in memory (reservoir sampling, Vitter 1985, algorithm
    R); every set of `size` items is equally likely.

    Args:
        items: the stream; it is read to its end.
        size: number of items to draw; of a shorter stream, all are taken.
        seed: seed of the draws.

    Returns:
        The items in the order of the stream.

    Raises:
        ValueError: if `size` is not positive.
    """
    if size < 1:
        raise ValueError(f"`size` must be positive. Received: size={size}")
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
    """Divides questions at random; equal texts stay together.

    A question asked twice, but for case and white space, would otherwise be
    trained on and tested. So the shares are those of the different texts.

    Args:
        questions: the questions.
        shares: the size of each part relative to the others'.
        seed: seed of the division.

    Returns:
        As many lists as there are shares, each in the order of `questions`.

    Raises:
        ValueError: if a share is negative or not finite, or all are 0.
    """
    sizes = np.asarray(shares, dtype=float)
    if not (np.isfinite(sizes).all() and (sizes >= 0).all() and sizes.sum()):
        raise ValueError(
            "`shares` must be numbers of at least 0, not all 0. "
            f"Received: shares={list(shares)}"
        )
    texts = [normal_text(question.text) for question in questions]
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
