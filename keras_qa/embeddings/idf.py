"""Inverse document frequencies of words."""

import math
from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keras_qa.arguments import check_collection


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


def idf_weights(
    words: Sequence[str], texts: Iterable[Sequence[str]]
) -> np.ndarray:
    """The idf of words over the mean idf of running words.

    Vectors that are multiplied by these weights keep their mean length over
    running text. The smooth formula of `InverseDocumentFrequency` is used.

    Args:
        words: the words to weigh.
        texts: the words of each document, such as the training texts; they give
            the document frequencies and the running words of the mean.

    Returns:
        float64 `(words,)`.

    Raises:
        ValueError: if the texts contain no words, or one is a string.
    """
    texts = list(texts)
    idf = InverseDocumentFrequency.of(texts)
    counts = Counter(word for text in texts for word in text)
    if not counts:
        raise ValueError(
            f"`texts` must contain words. Received: {len(texts)} empty texts"
        )
    mean = np.average(idf(list(counts)), weights=list(counts.values()))
    return idf(words) / mean
