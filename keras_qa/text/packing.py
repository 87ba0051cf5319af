"""Texts as one ragged array, and batches that list each distinct word once."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from keras_qa.text.ragged import Ragged
from keras_qa.text.vocabulary import PADDING_ID


@dataclass(frozen=True, eq=False)
class RaggedTexts(Ragged):
    """The concatenated word ids of many texts, without padding.

    Attributes:
        ids: int32 `(total,)`, the words of all texts.
        offsets: int64 `(texts + 1,)`; text i is `ids[offsets[i]:offsets[i+1]]`.

    Raises:
        ValueError: if `offsets` does not rise from 0 to `len(ids)`, or `ids`
            contains padding.
    """

    ids: np.ndarray
    offsets: np.ndarray

    def __post_init__(self) -> None:
        self.check_offsets("ids")
        if (self.ids == PADDING_ID).any():
            raise ValueError(
                f"`ids` must not hold the padding id {PADDING_ID}. Received: "
                f"{PADDING_ID} at position {int(np.argmin(self.ids != 0))}"
            )

    @property
    def rows(self) -> np.ndarray:
        """The word ids."""
        return self.ids

    @classmethod
    def from_sequences(cls, sequences: Iterable[np.ndarray]) -> "RaggedTexts":
        """Concatenates vectors of word ids, without the padding in them."""
        texts = [np.asarray(s, dtype=np.int32) for s in sequences]
        texts = [text[text != PADDING_ID] for text in texts]
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(text) for text in texts], out=offsets[1:])
        ids = np.concatenate([np.zeros(0, np.int32), *texts])
        return cls(ids, offsets)

    def take(self, indices: np.ndarray) -> "RaggedTexts":
        """The texts at `indices` `(n,)`, copied in that order."""
        starts = self.offsets[indices]
        lengths = self.offsets[indices + 1] - starts
        offsets = np.zeros(len(indices) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        position = np.repeat(starts - offsets[:-1], lengths)
        position += np.arange(offsets[-1])
        return _trusted(self.ids[position], offsets)


def pack(
    texts: RaggedTexts,
    question: np.ndarray,
    answers: np.ndarray,
    round_up: bool = False,
) -> dict[str, np.ndarray]:
    """Describes a batch by its distinct texts (rows) and words (slots).

    No text and no word of the batch is computed twice. The tokens, pairs of a
    slot and a row, are listed in two orders: by row, to sum the words of a
    text, and by slot, to sum the gradients that a word gets from its texts.
    Both sums are then sums of sorted segments.

    The last slot is the padding word, the last row an empty text, and the last
    token this word in this row, which no pair refers to. The number of
    segments is therefore known, even if texts are empty.

    Args:
        texts: all texts.
        question: int `(batch,)`, indices of the questions' texts.
        answers: int `(batch, answers)`, indices of the answers' texts.
        round_up: True pads words, rows and tokens to sizes of `next_size`, so
            that few different shapes are compiled.

    Returns:
        Dict of arrays, int32 except for `lengths`:

        - `answers` `(batch, answers)`: rows of the answers,
        - `question` `(batch,)`: rows of the questions,
        - `words` `(slots,)`: the distinct word ids,
        - `lengths` `(rows,)`: float32, the number of words of each text,
        - `slots_by_row`, `rows_by_row` `(tokens,)`: the tokens by row,
        - `slots_by_slot`, `rows_by_slot` `(tokens,)`: the tokens by slot.
    """
    distinct, rows = np.unique(
        np.concatenate([question[:, None], answers], axis=1),
        return_inverse=True,
    )
    rows = rows.reshape(len(question), -1).astype(np.int32)
    batch = texts.take(distinct)
    words, slots = _distinct_words(batch.ids)
    size = _next_size if round_up else _next
    row_count, slot_count = size(len(batch)), size(len(words))
    token_count = size(len(slots))

    slots_by_row = np.full(token_count, slot_count - 1, dtype=np.int32)
    slots_by_row[: len(slots)] = slots
    rows_by_row = np.full(token_count, row_count - 1, dtype=np.int32)
    rows_by_row[: len(slots)] = np.repeat(
        np.arange(len(batch), dtype=np.int32), batch.lengths
    )
    by_slot = _stable_order(slots_by_row)
    return {
        "answers": rows[:, 1:],
        "question": rows[:, 0],
        "words": _filled(words, slot_count),
        "lengths": _filled(batch.lengths.astype(np.float32), row_count),
        "slots_by_row": slots_by_row,
        "rows_by_row": rows_by_row,
        "slots_by_slot": slots_by_row[by_slot],
        "rows_by_slot": rows_by_row[by_slot],
    }


def next_power(size: int) -> int:
    """The smallest power of two that is at least `size` > 0."""
    return 1 << (size - 1).bit_length()


def next_size(size: int) -> int:
    """The smallest of 1, 2, 3, 4, 6, 8, 12, ... that is at least `size` > 0."""
    power = next_power(size)
    return power * 3 // 4 if size <= power * 3 // 4 else power


def _next(size: int) -> int:
    return size + 1


def _next_size(size: int) -> int:
    return next_size(size + 1)


def _trusted(ids: np.ndarray, offsets: np.ndarray) -> RaggedTexts:
    """RaggedTexts without the checks, which would slow down each batch."""
    texts = object.__new__(RaggedTexts)
    object.__setattr__(texts, "ids", ids)
    object.__setattr__(texts, "offsets", offsets)
    return texts


def _distinct_words(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`np.unique(ids, return_inverse=True)`, linear in the largest id."""
    present = np.zeros(ids.max(initial=0) + 1, dtype=bool)
    present[ids] = True
    words = np.flatnonzero(present).astype(np.int32)
    slot = np.empty(len(present), dtype=np.int32)
    slot[words] = np.arange(len(words), dtype=np.int32)
    return words, slot[ids]


def _stable_order(values: np.ndarray) -> np.ndarray:
    """Stable `argsort`, by NumPy's radix sort if the values fit 16 bits."""
    if values.max() < 1 << 16:
        values = values.astype(np.uint16)
    return np.argsort(values, kind="stable")


def _filled(values: np.ndarray, size: int) -> np.ndarray:
    filled = np.zeros(size, dtype=values.dtype)
    filled[: len(values)] = values
    return filled
