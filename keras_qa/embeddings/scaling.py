"""The lengths of word vectors: as loaded, equal, or closer to each other."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from gensim.models import KeyedVectors

from keras_qa.arguments import check_choice

NORMS = ("raw", "unit", "power")


@dataclass(frozen=True)
class WordScaling:
    """A rule for the lengths of the vectors of one source.

    With |v| the length of a word's vector v and L the attribute `length`,

        raw:    v
        unit:   v L / |v|
        power:  v c |v|^(power - 1),

    where c makes L the mean length of the distinct words that the source knows.
    With `"unit"` and `"power"` the random vector of a word that it does not
    know has the length L, too. A vector of zeros, such as padding's, stays as
    it is.

    Attributes:
        norm: `"raw"`, `"unit"` or `"power"`.
        length: L.
        power: exponent of the lengths: 0 makes them equal, 1 keeps their
            ratios.

    Raises:
        ValueError: if `norm` is another one, `length` is not positive, or
            `power` is negative.

    Example:
        >>> rows = np.array([[3.0, 4.0], [0.0, 0.1]])
        >>> scaled = WordScaling("unit", 1.0)(rows, np.array([True, True]))
        >>> scaled.round(1).tolist()
        [[0.6, 0.8], [0.0, 1.0]]
    """

    norm: str = "raw"
    length: float = 3.0
    power: float = 0.5

    def __post_init__(self) -> None:
        check_choice("norm", self.norm, NORMS)
        if not 0 < self.length < np.inf:
            raise ValueError(
                "`length` must be positive and finite. "
                f"Received: length={self.length}"
            )
        if not 0 <= self.power < np.inf:
            raise ValueError(
                "`power` must be finite and not negative. "
                f"Received: power={self.power}"
            )

    def __call__(self, vectors: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Scales vectors.

        Args:
            vectors: float `(words, dim)`.
            known: bool `(words,)`, False for random vectors.

        Returns:
            Vectors of the same shape and dtype.
        """
        if self.norm == "raw":
            return vectors
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
        wanted = np.full(len(vectors), self.length)
        counted = known & (lengths > 0)
        if self.norm == "power" and counted.any():
            raised = lengths[counted] ** self.power
            wanted[counted] *= raised / raised.mean()
        factors = np.zeros(len(vectors))
        np.divide(wanted, lengths, out=factors, where=lengths > 0)
        return (vectors * factors[:, None]).astype(vectors.dtype)


def rare_length_ratio(
    vectors: KeyedVectors, counts: Mapping[str, int], share: float = 1 / 3
) -> float:
    """How many times longer the vectors of rare words are than frequent ones'.

    Vectors that are weighted by frequency, so that their plain sum is a good
    sentence vector, have a large ratio. What is trained on them hardly sees
    function and question words.

    Args:
        vectors: the vectors.
        counts: how often each word occurs.
        share: the most frequent words that make up this share of the running
            words count as frequent.

    Returns:
        The mean length of rare words over that of running frequent words.
        Words without a vector are left out; 1 if no word is rare.
    """
    known = [word for word in counts if vectors.has_index_for(word)]
    times = np.array([counts[word] for word in known])
    order = np.argsort(-times, kind="stable")
    running = np.cumsum(times[order])
    frequent = int(np.searchsorted(running, share * times.sum())) + 1
    if frequent >= len(known):
        return 1.0
    lengths = np.linalg.norm(vectors[known], axis=1).astype(np.float64)
    first, others = order[:frequent], order[frequent:]
    mean = np.average(lengths[first], weights=times[first])
    return float(lengths[others].mean() / max(mean, 1e-30))
