"""Contrastive divergence for pairs of states that lie in [-1, 1].

`keras_qa.layers.RBMJumpScore.fit` uses them: exact samples of the truncated
exponential, batches of pairs of adjacent states, and the trainer.
"""

from collections.abc import Iterable
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.batches.epochs import SeededEpochs

# Up to this rate the truncated exponential is uniform in float32.
SMALLEST_RATE = 1e-6


def truncated_exponential(rate: Any, uniform: Any) -> Any:
    """Samples from the density proportional to `exp(rate x)` over [-1, 1].

    With s = |rate| and u uniform, the sample for a positive rate is the
    quantile of 1 - u (inverse transform),

        x = 1 + log(1 - u (1 - exp(-2 s))) / s

    and -x is the sample for a negative rate. No exponential overflows, and
    small rates lose no digits.

    Args:
        rate: float tensor of any shape, with finite values.
        uniform: float tensor of the same shape, uniform over [0, 1].

    Returns:
        Float tensor of the same shape, in [-1, 1]. The mean of the density is
        `coth(rate) - 1 / rate`.
    """
    size = ops.maximum(ops.abs(rate), SMALLEST_RATE)
    x = 1 + ops.log1p(ops.multiply(uniform, ops.expm1(-2 * size))) / size
    # At u = 1 and a high rate the logarithm is -inf; the quantile is -1.
    x = ops.maximum(x, -1)
    return ops.where(rate < 0, -x, x)


class StatePairs(SeededEpochs):
    """Pairs of adjacent states, shuffled each epoch, for `keras.Model.fit`.

    A batch is `(inputs,)`: the float32 arrays `"state"` and `"next_state"`
    `(batch_size, dim)`. Each state is stored once; padding is not stored.

    Args:
        texts: batches `(states, mask)` of texts, read once: float arrays
            `(texts, length, dim)` with values in [-1, 1], and bool arrays
            `(texts, length)`, true at words, or None if all are.
        batch_size: number of pairs per batch; the last may have fewer.
        seed: seed of the shuffling, which also depends on the epoch.
        **kwargs: the arguments of `keras.utils.PyDataset`.

    Raises:
        ValueError: if `batch_size` is not positive, an array has another shape
            or values outside [-1, 1], or no word has a next word.
    """

    def __init__(
        self,
        texts: Iterable[tuple[np.ndarray, np.ndarray | None]],
        batch_size: int,
        seed: int = 0,
        **kwargs: Any,
    ):
        super().__init__(batch_size, seed, **kwargs)
        words, starts, count = [], [], 0
        for states, mask in texts:
            states, mask = _checked(states, mask)
            places = count + np.cumsum(mask).reshape(mask.shape) - 1
            starts.append(places[:, :-1][mask[:, :-1] & mask[:, 1:]])
            words.append(states[mask])
            count += len(words[-1])
        if not sum(map(len, starts)):
            raise ValueError(
                "`texts` must hold a text of two words or more. Received: "
                f"{len(words)} batches of {count} words"
            )
        self._words = np.concatenate(words)
        self._starts = np.concatenate(starts)

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return len(self._starts)

    @property
    def dim(self) -> int:
        """The size of a state."""
        return self._words.shape[1]

    def in_order(self) -> Iterable[tuple[np.ndarray, np.ndarray]]:
        """Yields all pairs, in batches of up to 4,096."""
        for start in range(0, self.pairs, 4096):
            rows = self._starts[start : start + 4096]
            yield self._words[rows], self._words[rows + 1]

    def _draw(self, rng: np.random.Generator, epoch: int) -> None:
        self._order = rng.permutation(self._starts)

    def __len__(self) -> int:
        return -(-self.pairs // self.batch_size)

    def __getitem__(self, index: int) -> tuple[dict[str, np.ndarray]]:
        """The batch at `index`."""
        self._begun()
        first = index * self.batch_size
        rows = self._order[first : first + self.batch_size]
        return (
            {
                "state": self._words[rows],
                "next_state": self._words[rows + 1],
            },
        )


def _checked(states: Any, mask: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns states as float32 and their mask as bool, after checks."""
    states = np.asarray(states, dtype=np.float32)
    if states.ndim != 3:
        raise ValueError(
            "`states` must have the shape (texts, length, dim). Received: "
            f"states.shape={states.shape!r}"
        )
    if mask is None:
        mask = np.ones(states.shape[:2], dtype=bool)
    mask = np.asarray(mask, dtype=bool)
    if mask.shape != states.shape[:2]:
        raise ValueError(
            f"`mask` must have the shape {states.shape[:2]} of the texts. "
            f"Received: mask.shape={mask.shape!r}"
        )
    largest = np.abs(states[mask]).max(initial=0)
    if not largest <= 1:
        raise ValueError(
            "`states` must lie in [-1, 1], as those of an LSTM do. Received: "
            f"a state of the size {largest}"
        )
    return states, mask


class ContrastiveDivergence(keras.Model):
    """Trains the energy of pairs of states by k-step contrastive divergence.

    The log-likelihood of `p = exp(-E) / Z` has the gradient

        dE(model) / dtheta - dE(data) / dtheta

    The first term, the mean under the model, is estimated from
    reconstructions: pairs after k cycles of block Gibbs sampling from the
    data. (Equation 12 of the paper has the opposite sign, which would make the
    data less likely.) The loss is the energy gap,

        mean of E(data) - mean of E(reconstruction)

    which falls below 0 and returns to about 0 as the model learns the data. It
    is a noisy estimate and not a likelihood. The metric `reconstruction_error`
    is the mean square of data minus reconstruction.

    The trainer adds no weights to those of `score`. `compile` takes any
    optimizer and needs no loss.

    Args:
        score: a built layer with the methods `energy` and `reconstruct`, such
            as `RBMJumpScore`.
        k: number of cycles of Gibbs sampling.
        seed: seed of the sampling.
        **kwargs: the arguments of `keras.Model`.

    Call arguments:
        inputs: dict of `"state"` and `"next_state"`, float `(batch_size, dim)`.

    Output:
        Dict of `"energy_gap"` and `"reconstruction_error"`, float
        `(batch_size,)`.

    Raises:
        ValueError: if `k` is not a positive integer.

    Example:
        >>> trainer = ContrastiveDivergence(score, k=5)
        >>> trainer.compile(keras.optimizers.Adam(0.01))
        >>> pairs = StatePairs([(states, mask)], batch_size=50)
        >>> trainer.fit(pairs.feed(), **pairs.fit_arguments(epochs=10))

    Reference: IAM (Wu and Hao), section 2.5, equations 9 to 12; Hinton, 2002,
    "Training products of experts by minimizing contrastive divergence".
    """

    def __init__(self, score: Any, k: int, seed: int = 0, **kwargs: Any):
        super().__init__(**kwargs)
        check_positive(k=k)
        self.score = score
        self.k = k
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.reconstruction_error = keras.metrics.Mean("reconstruction_error")
        # All weights are those of `score`, which is built.
        self.built = True

    def call(self, inputs: Any) -> dict[str, Any]:
        """Reconstructs each pair and compares it with its reconstruction."""
        state, following = inputs["state"], inputs["next_state"]
        model = [
            ops.stop_gradient(x)
            for x in self.score.reconstruct(state, self.k, self.seed_generator)
        ]
        errors = [
            ops.mean(ops.square(x - y), axis=-1)
            for x, y in zip((state, following), model, strict=True)
        ]
        energy = self.score.energy
        return {
            "energy_gap": energy(state, following) - energy(*model),
            "reconstruction_error": (errors[0] + errors[1]) / 2,
        }

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """Returns the mean energy gap, a scalar; updates the metric."""
        self.reconstruction_error.update_state(y_pred["reconstruction_error"])
        return ops.mean(y_pred["energy_gap"])
