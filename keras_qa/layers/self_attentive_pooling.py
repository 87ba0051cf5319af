"""Self-attentive pooling: a text's own states say which of them count."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.arguments import check_positive_or_none
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.base_layer import PreciseLayer
from keras_qa.layers.sequences import masked_softmax


@keras.saving.register_keras_serializable(package="keras_qa")
class SelfAttentivePooling(PreciseLayer, MaskingLayer):
    """Takes weighted means of a text's states, weighed by themselves.

    With h_t the states of a text, the mean of hop k, with a vector w_k of its
    own, is

        s_t = w_k . tanh(W h_t)
        a_t = exp(s_t) / (sum over i of exp(s_i))
        o_k = sum over t of a_t h_t

    over the positions that the mask marks as words: padding changes nothing,
    and o_k is 0 for a text without words. Under mixed precision weights and
    means are float32.

    Args:
        units: number of rows of W; by default the size of the states.
        hops: number of means.
        kernel_initializer: initialiser of W and of all w_k.
        kernel_regularizer: regulariser of W and of all w_k.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words. Without one,
            all positions are words.

    Output:
        Float tensor `(batch_size, hops, dim)`, without a mask.

    Raises:
        ValueError: if `units` is neither None nor a positive integer, or `hops`
            is no positive integer.

    Example:
        >>> states = keras.random.normal((2, 9, 8))
        >>> SelfAttentivePooling(hops=3)(states).shape
        (2, 3, 8)

    Reference: Lin et al., 2017, "A Structured Self-attentive Sentence
    Embedding", equation 6.
    """

    input_spec = keras.layers.InputSpec(ndim=3)

    def __init__(
        self,
        units: int | None = None,
        hops: int = 1,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive_or_none(units=units)
        check_positive(hops=hops)
        self.units = units
        self.hops = hops
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)

    def build(self, input_shape: Any) -> None:
        """Creates W and all w_k."""
        dim = input_shape[-1]
        units = self.units or dim
        self.kernel, self.score_kernel = (
            self.add_weight(
                shape=shape,
                initializer=fresh(self.kernel_initializer),
                regularizer=self.kernel_regularizer,
                name=name,
            )
            for name, shape in (
                ("kernel", (dim, units)),
                ("score_kernel", (units, self.hops)),
            )
        )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Weighs and averages the states."""
        hidden = ops.tanh(ops.matmul(inputs, self.kernel))
        scores = ops.matmul(hidden, self.score_kernel)
        scores = ops.transpose(ops.cast(scores, self.precise), (0, 2, 1))
        mask = None if mask is None else mask[:, None]
        weights = masked_softmax(scores, mask)
        means = ops.matmul(weights, ops.cast(inputs, self.precise))
        return ops.cast(means, self.precise)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, hops, dim)`."""
        return (input_shape[0], self.hops, input_shape[2])
