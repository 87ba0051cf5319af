"""IAM's context information jump between adjacent states of an answer."""

import warnings
from collections.abc import Iterable
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.base_layer import PreciseLayer
from keras_qa.layers.contrastive_divergence import ContrastiveDivergence
from keras_qa.layers.contrastive_divergence import StatePairs
from keras_qa.layers.contrastive_divergence import truncated_exponential
from keras_qa.layers.sequences import mask_of

OFFSETS = ("mean", "none")
TEMPERATURES = ("deviation", "none")
SCALES = ("exp", "log")

# Warn if a larger share of the training pairs exceeds `max_exponent`.
CLIPPED_SHARE = 0.05


@keras.saving.register_keras_serializable(package="keras_qa")
class RBMJumpScore(PreciseLayer, MaskingLayer):
    """Scores each word's state together with the next word's state.

    With `h_t` the states of an answer, and `Q`, `q_1` and `q_2` the weights,

        E(h_t, h_t+1) = h_t . Q h_t+1 + q_1 . h_t + q_2 . h_t+1    (10)
        p(h_t, h_t+1) = exp(-E) / Z                                 (9)
        jump(t) = exp(-E(h_t, h_t+1))                               (13)

    where the states lie in [-1, 1]. The jump is 0 at padding and at a word
    without a next word: the last one, and each before padding. Everything is
    computed, and returned, in float32 or better.

    `fit` learns the weights from states, before a matcher uses the layer. In
    the matcher they are the paper's fixed theta*: set `trainable` to False.

    Equation 13 as printed is no usable input of the tanh of equation 8. For
    200-dimensional states of a language model on answers of WikiQA, -E had the
    mean 117 and the standard deviation 24: its exponential overflows float32,
    and any bound makes it equal for nearly all words. So `fit` measures mean
    and deviation of -E over its pairs, and by default the layer returns

        jump(t) = exp((-E(h_t, h_t+1) - mean) / deviation)

    which increases with equation 13 and is near 1. The mean gives a constant
    factor, as does Z; the weight `v_1` of equation 8 can absorb both. The
    deviation is a temperature and changes the function.

    A high jump marks a likely next state, whereas the paper describes the jump
    as new information; `v_1` can have either sign.

    Args:
        max_exponent: bound of the exponent with `scale="exp"`. The default
            keeps a jump below 22,027, which half precision can represent.
        offset: `"mean"` to subtract the mean of -E over the pairs of the last
            `fit` (0 before), a weight; `"none"` as printed.
        temperature: `"deviation"` to divide by the deviation of -E over these
            pairs (1 before), a weight; `"none"` as printed.
        scale: `"exp"` for equation 13; `"log"` for the exponent, unbounded.
        initializer_range: weights start uniform in (-range, range).
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`, with values in
            [-1, 1] at words.
        mask: bool tensor `(batch_size, length)`, true at words. Without one,
            all positions are words.

    Output:
        Float tensor `(batch_size, length)`, without a mask.

    Raises:
        ValueError: if an argument is out of range, or, in eager execution, a
            state at a word.

    Example:
        >>> states = np.tanh(np.random.normal(size=(20, 9, 4)))
        >>> layer = RBMJumpScore()
        >>> history = layer.fit(states, epochs=2)
        >>> layer(states).shape
        (20, 9)

    Reference: IAM (Wu and Hao, "Cross-sentence Pre-trained model for
    Interactive QA matching"), section 2.5.
    """

    input_spec = keras.layers.InputSpec(ndim=3)

    def __init__(
        self,
        max_exponent: float = 10.0,
        offset: str = "mean",
        temperature: str = "deviation",
        scale: str = "exp",
        initializer_range: float = 0.05,
        **kwargs: Any,
    ):
        # Autocasting would round the states to half precision.
        super().__init__(autocast=False, **kwargs)
        if not 0 < max_exponent < 88:
            raise ValueError(
                "`max_exponent` must be between 0 and 88, beyond which float32 "
                f"overflows. Received: max_exponent={max_exponent!r}"
            )
        check_choice("offset", offset, OFFSETS)
        check_choice("temperature", temperature, TEMPERATURES)
        check_choice("scale", scale, SCALES)
        if initializer_range < 0:
            raise ValueError(
                "`initializer_range` must not be negative. Received: "
                f"initializer_range={initializer_range!r}"
            )
        self.max_exponent = max_exponent
        self.offset = offset
        self.temperature = temperature
        self.scale = scale
        self.initializer_range = initializer_range

    def build(self, input_shape: tuple) -> None:
        """Creates `Q`, `q_1`, `q_2` and the weights that `fit` measures."""
        dim = input_shape[-1]
        self.kernel, self.state_bias, self.next_bias = (
            self.add_precise_weight(
                name=name,
                shape=shape,
                initializer=keras.initializers.RandomUniform(
                    -self.initializer_range, self.initializer_range
                ),
            )
            for name, shape in (
                ("kernel", (dim, dim)),
                ("state_bias", (dim,)),
                ("next_bias", (dim,)),
            )
        )
        measured = {"shape": (), "trainable": False}
        if self.offset == "mean":
            self.mean_exponent = self.add_precise_weight(
                name="mean_exponent", initializer="zeros", **measured
            )
        if self.temperature == "deviation":
            self.deviation = self.add_precise_weight(
                name="deviation", initializer="ones", **measured
            )

    def energy(self, states: Any, next_states: Any) -> Any:
        """Computes `E(h_t, h_t+1)` of equation 10.

        Args:
            states: float tensor `(..., dim)`.
            next_states: float tensor of the same shape.

        Returns:
            Float tensor `(...)`.
        """
        h, following = (
            ops.cast(x, self.precise) for x in (states, next_states)
        )
        return (
            ops.sum(ops.matmul(h, self.kernel) * following, axis=-1)
            + ops.matmul(h, self.state_bias)
            + ops.matmul(following, self.next_bias)
        )

    def reconstruct(self, states: Any, k: int, seed: Any) -> tuple[Any, Any]:
        """Samples pairs of states by k cycles of block Gibbs sampling.

        Given one state of a pair, the units of the other are independent, each
        a truncated exponential over [-1, 1]. A cycle samples the next state,
        then the state.

        Args:
            states: float tensor `(n, dim)` to start from.
            k: number of cycles, positive.
            seed: a `keras.random.SeedGenerator`.

        Returns:
            Two float tensors `(n, dim)`, states and next states.
        """

        def draw(rate: Any) -> Any:
            uniform = keras.random.uniform(
                ops.shape(rate), dtype=rate.dtype, seed=seed
            )
            return truncated_exponential(rate, uniform)

        h, following = ops.cast(states, self.precise), None
        for _ in range(k):
            following = draw(-ops.matmul(h, self.kernel) - self.next_bias)
            h = draw(
                -ops.matmul(following, ops.transpose(self.kernel))
                - self.state_bias
            )
        return h, following

    def fit(
        self,
        states: Any,
        mask: Any = None,
        epochs: int = 10,
        batch_size: int = 50,
        learning_rate: Any = 0.1,
        clipnorm: float | None = 5.0,
        k: int = 5,
        seed: int = 0,
        **kwargs: Any,
    ) -> keras.callbacks.History:
        """Learns the weights from the pairs of adjacent states of texts.

        It trains with stochastic gradient descent on the loss of
        `keras_qa.layers.contrastive_divergence.ContrastiveDivergence`, from the
        layer's current weights.

        Args:
            states: float array `(texts, length, dim)` with values in [-1, 1];
                or an iterable of batches `(states, mask)` of texts, which is
                read once.
            mask: bool array `(texts, length)`, true at words, or None.
            epochs: number of passes over the pairs.
            batch_size: number of pairs per step.
            learning_rate: learning rate, or a schedule.
            clipnorm: bound of the norm of the gradient of all weights
                together, or None.
            k: number of cycles of Gibbs sampling ("multiple" in the paper).
            seed: seed of the order of the pairs and of the sampling.
            **kwargs: further arguments of `keras.Model.fit`, such as
                `callbacks` and `verbose`.

        Returns:
            The history of `loss`, the mean energy gap, and of
            `reconstruction_error`, by epoch.

        Raises:
            ValueError: if the layer is not trainable, or an argument is out of
                range.
        """
        if not self.trainable:
            raise ValueError(
                "`fit` needs a trainable layer. Received: trainable=False"
            )
        if mask is not None and not hasattr(states, "shape"):
            raise ValueError(
                "`mask` goes with one array of states; batches are pairs of "
                f"states and a mask. Received: states={type(states).__name__}"
            )
        texts: Iterable = (
            [(states, mask)] if hasattr(states, "shape") else states
        )
        pairs = StatePairs(texts, batch_size, seed)
        if not self.built:
            self.build((None, None, pairs.dim))
        trainer = ContrastiveDivergence(self, k, seed, dtype=self.precise)
        trainer.compile(
            keras.optimizers.SGD(learning_rate, global_clipnorm=clipnorm)
        )
        history = trainer.fit(
            pairs.feed(), **pairs.fit_arguments(epochs=epochs, **kwargs)
        )
        self._measure(pairs)
        return history

    def _measure(self, pairs: StatePairs) -> None:
        """Sets mean and deviation; warns if too many exponents are too high."""
        exponents = -np.concatenate(
            [ops.convert_to_numpy(self.energy(*p)) for p in pairs.in_order()]
        ).astype(np.float64)
        if self.offset == "mean":
            self.mean_exponent.assign(exponents.mean())
            exponents -= exponents.mean()
        if self.temperature == "deviation":
            deviation = exponents.std() or 1.0
            self.deviation.assign(deviation)
            exponents /= deviation
        clipped = np.mean(exponents > self.max_exponent)
        if self.scale == "exp" and clipped > CLIPPED_SHARE:
            warnings.warn(
                f"{clipped:.0%} of the pairs have an exponent above "
                f"max_exponent={self.max_exponent} and so the same jump. The "
                'default offset and temperature, or scale="log", tell them '
                "apart.",
                stacklevel=3,
            )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes the jump at each position."""
        mask = mask_of(inputs, mask)
        _check_range(inputs, mask)
        following = _shifted(inputs)
        exponent = -self.energy(inputs, following)
        if self.offset == "mean":
            exponent = exponent - self.mean_exponent
        if self.temperature == "deviation":
            exponent = exponent / self.deviation
        if self.scale == "exp":
            exponent = ops.exp(ops.minimum(exponent, self.max_exponent))
        exponent = ops.cast(exponent, self.precise)
        return ops.where(ops.logical_and(mask, _shifted(mask)), exponent, 0.0)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, length)`."""
        return tuple(input_shape[:2])


def _check_range(states: Any, mask: Any) -> None:
    """Checks that states at words lie in [-1, 1], in eager execution only."""
    try:
        words = ops.convert_to_numpy(mask)
        values = ops.convert_to_numpy(ops.cast(states, "float32"))[words]
    except (NotImplementedError, TypeError):
        return
    largest = float(np.abs(values).max(initial=0))
    # NaN is not.
    if not largest <= 1:
        raise ValueError(
            "`inputs` must lie in [-1, 1] at words, as the states of an LSTM "
            f"do. Received: a state of the size {largest!r}"
        )


def _shifted(x: Any) -> Any:
    """Shifts axis 1 by one position; the last position becomes 0 or false."""
    return ops.concatenate([x[:, 1:], ops.zeros_like(x[:, :1])], axis=1)
