"""Texts as contextual vectors of their words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keras_qa.text.ragged import Ragged


@dataclass(frozen=True, eq=False)
class VectorTexts(Ragged):
    """The concatenated word vectors of many texts, without padding.

    It replaces `RaggedTexts` for models that read contextual vectors, such as
    BERT's: `padded` returns vectors, not ids.

    Attributes:
        vectors: float16 or float32 `(total, dim)`, the words of all texts.
        offsets: int64 `(texts + 1,)`; text i is
            `vectors[offsets[i]:offsets[i+1]]`.

    Raises:
        ValueError: if `offsets` does not rise from 0 to `len(vectors)`.

    Example:
        >>> texts = VectorTexts(np.ones((5, 3)), np.array([0, 2, 5]))
        >>> texts.padded(np.array([0, 1])).shape
        (2, 3, 3)
    """

    vectors: np.ndarray
    offsets: np.ndarray

    def __post_init__(self) -> None:
        self.check_offsets("vectors")

    @classmethod
    def from_arrays(
        cls, texts: Sequence[np.ndarray], dim: int
    ) -> "VectorTexts":
        """The texts with these vectors, float `(words, dim)` each."""
        return cls(
            np.concatenate([np.zeros((0, dim), np.float32), *texts]),
            np.cumsum([0, *map(len, texts)], dtype=np.int64),
        )

    @property
    def rows(self) -> np.ndarray:
        """The vectors."""
        return self.vectors
