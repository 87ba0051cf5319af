"""Inverse document frequencies of words."""

import math
from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keras_qa.embeddings.texts import check_collection


@dataclass(frozen=True)
class InverseDocumentFrequency:
    """Inverse document frequencies of words, by one of two formulas.

    With N documents, of which df(w) contain w,

        idf(w) = ln((1 + N) / (1 + df(w))) + 1      if `smooth`
        idf(w) = ln(N / max(df(w), 1))              if not.

    The first, that of `keras_qa.layers.TfIdf`, is never 0.

    Attributes:
        documents: N.
        frequency: df of each word that occurs.
        smooth: True selects the first formula.
    """

    documents: int
    frequency: Mapping[str, int]
    smooth: bool = True

    @classmethod
    def of(
        cls, texts: Iterable[Sequence[str]], smooth: bool = True
    ) -> "InverseDocumentFrequency":
        """Counts document frequencies.

        Args:
            texts: the words of each document, such as all texts of a corpus.
            smooth: see the class.

        Raises:
            ValueError: if there are no texts, or a text is a string.
        """
        frequency: Counter[str] = Counter()
        documents = 0
        for text in texts:
            check_collection("texts", text)
            frequency.update(set(text))
            documents += 1
        if not documents:
            raise ValueError("`texts` must not be empty. Received: 0 texts")
        return cls(documents, frequency, smooth)

    def __call__(self, words: Sequence[str]) -> np.ndarray:
        """The idf of each word, float64 `(words,)`."""
        return np.array([self._idf(self.frequency.get(w, 0)) for w in words])

    def _idf(self, frequency: int) -> float:
        if self.smooth:
            return math.log((1 + self.documents) / (1 + frequency)) + 1
        return math.log(self.documents / max(frequency, 1))
