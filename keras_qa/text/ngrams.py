"""Unigram and bigram models, the baselines of a language model."""

from collections.abc import Iterable

import numpy as np

from keras_qa.arguments import check_positive


class UnigramModel:
    """The frequency of each class, smoothed by absolute discounting.

    With c(w) the count of class w among N targets, D the discount, S the
    number of distinct classes seen and C the number of all classes,

        p(w) = max(c(w) - D, 0) / N + (D S / N) (1 / C)

    The discounts are shared equally among all classes, so that the
    probabilities of all classes sum to 1.

    A sequence is an int vector of classes. Its elements after the first are
    the targets, as for a model that reads the first.

    Args:
        class_count: number of classes.
        discount: the number subtracted from each count, between 0 and 1.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> UnigramModel(4).fit([np.array([0, 1, 1, 2])]).probabilities
        [0.125, 0.54166667, 0.20833333, 0.125]

    Reference: Ney et al., 1994, "On structuring probabilistic dependences in
    stochastic language modelling".
    """

    def __init__(self, class_count: int, discount: float = 0.75):
        check_positive(class_count=class_count)
        if not 0 < discount < 1:
            raise ValueError(
                "`discount` must be between 0 and 1. "
                f"Received: discount={discount}"
            )
        self.class_count = class_count
        self.discount = discount

    def fit(self, sequences: Iterable[np.ndarray]) -> "UnigramModel":
        """Counts the targets of sequences.

        Args:
            sequences: int vectors of classes.

        Returns:
            The model.

        Raises:
            ValueError: if there is no target, or a class is out of range.
        """
        _, targets = self._pairs(sequences)
        self.probabilities = self._smoothed(
            np.bincount(targets, minlength=self.class_count)
        )
        return self

    def log_likelihoods(self, sequences: Iterable[np.ndarray]) -> np.ndarray:
        """The natural logarithms of the probabilities of all targets.

        Args:
            sequences: int vectors of classes.

        Returns:
            float64 `(targets,)`, sequence by sequence.

        Raises:
            ValueError: if there is no target, or a class is out of range.
        """
        return np.log(self._likelihoods(*self._pairs(sequences)))

    def perplexity(self, sequences: Iterable[np.ndarray]) -> float:
        """Exponential of the mean of -ln p over the targets of sequences.

        Raises:
            ValueError: if there is no target, or a class is out of range.
        """
        return float(np.exp(-self.log_likelihoods(sequences).mean()))

    def _likelihoods(
        self, contexts: np.ndarray, targets: np.ndarray
    ) -> np.ndarray:
        return self.probabilities[targets]

    def _smoothed(self, counts: np.ndarray) -> np.ndarray:
        """The smoothed probabilities of all classes from their counts."""
        spared = self.discount * np.count_nonzero(counts) / self.class_count
        return (np.maximum(counts - self.discount, 0) + spared) / counts.sum()

    def _pairs(
        self, sequences: Iterable[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The contexts and targets: all pairs of consecutive elements."""
        kept = [np.asarray(s, np.int64) for s in sequences if len(s) > 1]
        if not kept:
            raise ValueError(
                "`sequences` must hold at least one of two classes or more. "
                "Received: none"
            )
        contexts = np.concatenate([s[:-1] for s in kept])
        targets = np.concatenate([s[1:] for s in kept])
        for classes in (contexts, targets):
            if classes.min() < 0 or classes.max() >= self.class_count:
                raise ValueError(
                    "`sequences` must hold classes from 0 to "
                    f"{self.class_count - 1}. Received: {classes.min()} to "
                    f"{classes.max()}"
                )
        return contexts, targets


class BigramModel(UnigramModel):
    """Interpolated Kneser-Ney: each class given the previous one.

    With c(v, w) the count of w after v, c(v) the sum of c(v, w) over w, D the
    discount and S(v) the number of distinct classes after v,

        p(w | v) = max(c(v, w) - D, 0) / c(v) + (D S(v) / c(v)) p'(w)

    where p'(w) is the unigram model of the *distinct* pairs: c'(w), the number
    of distinct classes that w follows, replaces c(w) in the formula of
    `UnigramModel`. After a class that was never a context, the probability is
    p'(w). For every v the probabilities of all classes sum to 1.

    Arguments, methods and errors are those of `UnigramModel`.

    Reference: Kneser and Ney, 1995, "Improved backing-off for m-gram language
    modeling"; Chen and Goodman, 1999, "An empirical study of smoothing
    techniques for language modeling", section 2.7.
    """

    def fit(self, sequences: Iterable[np.ndarray]) -> "BigramModel":
        """Counts the pairs of sequences; see `UnigramModel.fit`."""
        contexts, targets = self._pairs(sequences)
        self._codes, counts = np.unique(
            contexts * self.class_count + targets, return_counts=True
        )
        self._discounted = counts - self.discount
        first, second = np.divmod(self._codes, self.class_count)
        size = self.class_count
        # By context, c(v) and D S(v).
        self._totals = np.bincount(contexts, minlength=size)
        self._spared = self.discount * np.bincount(first, minlength=size)
        self.probabilities = self._smoothed(np.bincount(second, minlength=size))
        return self

    def _likelihoods(
        self, contexts: np.ndarray, targets: np.ndarray
    ) -> np.ndarray:
        codes = contexts * self.class_count + targets
        place = np.searchsorted(self._codes, codes)
        place = np.minimum(place, len(self._codes) - 1)
        found = self._codes[place] == codes
        discounted = np.where(found, self._discounted[place], 0.0)
        lower = self.probabilities[targets]
        total = self._totals[contexts]
        backed_off = discounted + self._spared[contexts] * lower
        return np.where(total > 0, backed_off / np.maximum(total, 1), lower)
