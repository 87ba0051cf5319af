"""Texts as vectors of their words, each in the context of its text."""

from dataclasses import dataclass

import numpy as np

from keras_qa.text.ragged import Ragged


@dataclass(frozen=True, eq=False)
class VectorTexts(Ragged):
    """The word vectors of many texts, one after the other, without padding.

    It takes the place of `RaggedTexts` where a model reads vectors that
    depend on the text, such as a BERT's: `padded` gives these, not ids.

    Attributes:
        vectors: float16 or float32 `(total, dim)`, the words of all texts.
        offsets: int64 `(texts + 1,)`; text i is
            `vectors[offsets[i]:offsets[i+1]]`.

    Raises:
        ValueError: if the offsets do not divide the vectors.

    Example:
        >>> texts = VectorTexts(np.ones((5, 3)), np.array([0, 2, 5]))
        >>> texts.padded(np.array([0, 1])).shape
        (2, 3, 3)
    """

    vectors: np.ndarray
    offsets: np.ndarray

    def __post_init__(self) -> None:
        self.check_offsets("vectors")

    @property
    def rows(self) -> np.ndarray:
        """The vectors."""
        return self.vectors
