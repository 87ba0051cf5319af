"""Encoding of texts with a BERT, and averaging of word pieces to words."""

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keras_qa.embeddings.bert.network import Bert

# Number of word pieces computed at a time, with padding; bounds the memory.
BATCH_PIECES = 4096


@dataclass(frozen=True)
class Part:
    """Words of a text that are read together.

    Attributes:
        text: number of the text.
        start: number of the first word.
        words: the piece ids of each word, at least one id in total.
    """

    text: int
    start: int
    words: list[list[int]]

    @property
    def pieces(self) -> list[int]:
        """The piece ids of all words."""
        return [piece for word in self.words for piece in word]


def encode_words(
    bert: Bert,
    texts: Sequence[Sequence[str]],
    batch_pieces: int = BATCH_PIECES,
) -> list[np.ndarray]:
    """Runs texts through a BERT and averages the pieces of each word.

    A text is read as `[CLS] pieces [SEP]`. A text with more pieces than the
    BERT has positions is cut between words into parts that are read
    separately; a single word with more pieces is truncated.

    Args:
        bert: the BERT.
        texts: the words of each text.
        batch_pieces: number of word pieces computed at a time, with padding.

    Returns:
        For each text float32 `(words, width)`; zeros for a word without
        pieces, such as an empty one.
    """
    pieces = bert.pieces(word for text in texts for word in text)
    vectors = [np.zeros((len(t), bert.width), np.float32) for t in texts]
    parts = [
        part
        for number, text in enumerate(texts)
        for part in _parts(number, [pieces[word] for word in text], bert.room)
    ]
    parts.sort(key=lambda part: -len(part.pieces))
    start = 0
    while start < len(parts):
        # The first part is the longest of its batch.
        width = bert.padded(len(parts[start].pieces))
        batch = parts[start : start + max(1, batch_pieces // width)]
        found = bert.states([part.pieces for part in batch])
        for part, states in zip(batch, found, strict=True):
            _average(part, states, vectors[part.text][part.start :])
        start += len(batch)
    return vectors


def _parts(text: int, words: list[list[int]], room: int) -> Iterator[Part]:
    """Cuts a text between words into parts of at most `room` pieces."""
    words = [word[:room] for word in words]
    start = used = 0
    for i, word in enumerate(words):
        if used + len(word) > room:
            yield Part(text, start, words[start:i])
            start, used = i, 0
        used += len(word)
    if used:
        yield Part(text, start, words[start:])


def _average(part: Part, states: np.ndarray, vectors: np.ndarray) -> None:
    """Writes the mean state of each word's pieces into the words' rows."""
    counts = np.array([len(word) for word in part.words])
    present = np.flatnonzero(counts)
    first = (np.cumsum(counts) - counts)[present]
    sums = np.add.reduceat(states[: counts.sum()], first, axis=0)
    vectors[present] = sums / counts[present, None]
