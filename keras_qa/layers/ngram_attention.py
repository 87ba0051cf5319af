"""Multi-resolution n-gram attention: weights of the blocks at each position."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_qa.layers.softmax_block import SoftmaxWeighting


@keras.saving.register_keras_serializable(package="keras_qa")
class NGramAttention(SoftmaxWeighting):
    """Combines the feature maps of N blocks into one vector per position.

    With `g_n(i)` the vector of block n at position i,

        t_n(i) = the sum of the features of g_n(i)          (equations 4, 5)
        aw(i)  = softmax block of [t_1(i), ..., t_N(i)]        (equation 7)
        mra(i) = sum over n of aw_n(i) g_n(i)               (equations 6, 8)

    Positions are independent. Weights and vectors are 0 at padding, where the
    inputs must be finite. Under mixed precision the sums t, the weights and the
    outputs are float32.

    The sum of s features is s times their mean: with a large s the initial
    weights are nearly 0 and 1 and change slowly. With the initialiser
    `keras_qa.initializers.ScaledIdentity(1 / s)` they are nearly equal.

    Args:
        weighting: `"softmax"` as above; `"mean"` gives all blocks the weight
            1 / N and `"last"` gives the last block the weight 1: two readings
            of a network without this attention.
        hidden_units: sizes of the hidden layers of the softmax block.
        alpha: initial slope of PReLU.
        kernel_initializer: initialiser of the softmax block's kernels.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, blocks, length, filters)`.
        mask: bool tensor `(batch_size, length)`, true at words. Without one,
            all positions are words.
        return_attention_scores: whether the weights are returned too.

    Output:
        Float tensor `(batch_size, length, filters)`, without a mask; with
        `return_attention_scores`, a list of this tensor and the weights
        `(batch_size, length, blocks)`.

    Raises:
        ValueError: if an argument is out of range, or the inputs have another
            number of axes.

    Example:
        >>> maps = keras.random.normal((2, 3, 7, 8))
        >>> NGramAttention()(maps).shape
        (2, 7, 8)

    Reference: MRNN, section 3.3.1.
    """

    input_spec = keras.layers.InputSpec(ndim=4)
    weightings = ("softmax", "mean", "last")

    def __init__(
        self,
        weighting: str = "softmax",
        hidden_units: Sequence[int] = (),
        alpha: float = 0.25,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ):
        super().__init__(
            weighting, hidden_units, alpha, kernel_initializer, **kwargs
        )

    def build(self, input_shape: tuple) -> None:
        """Creates the softmax block over the blocks."""
        self.blocks = input_shape[1]
        self.build_softmax_block(self.blocks)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
    ) -> Any:
        """Weighs the blocks at each position."""
        sums = ops.sum(ops.cast(inputs, self.precise), axis=-1)
        weights = self._weights(ops.transpose(sums, (0, 2, 1)))
        if mask is not None:
            weights = ops.where(ops.cast(mask, "bool")[:, :, None], weights, 0)
        # (batch_size, blocks, length, 1)
        factors = ops.cast(
            ops.transpose(weights, (0, 2, 1))[..., None], inputs.dtype
        )
        vectors = ops.cast(ops.sum(factors * inputs, axis=1), self.precise)
        return [vectors, weights] if return_attention_scores else vectors

    def _weights(self, sums: Any) -> Any:
        """Computes weights from sums, both `(batch_size, length, blocks)`."""
        if self.weighting == "softmax":
            return self.softmax_block(sums)
        if self.weighting == "mean":
            return ops.full_like(sums, 1 / self.blocks)
        last = ops.arange(self.blocks) == self.blocks - 1
        last = ops.cast(last, sums.dtype)
        return ops.zeros_like(sums) + last

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, length, filters)`."""
        batch_size, _, length, filters = input_shape
        return (batch_size, length, filters)

    def compute_output_spec(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
    ) -> Any:
        """The outputs' shapes and dtypes, with the weights if asked for."""
        batch_size, blocks, length, _ = inputs.shape
        vectors = keras.KerasTensor(
            self.compute_output_shape(inputs.shape), dtype=self.precise
        )
        weights = keras.KerasTensor(
            (batch_size, length, blocks), dtype=self.precise
        )
        return [vectors, weights] if return_attention_scores else vectors
