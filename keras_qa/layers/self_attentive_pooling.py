"""Self-attentive pooling: a text's own states say which of them count."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive_or_none
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.base_layer import PreciseLayer
from keras_qa.layers.sequences import masked_softmax


@keras.saving.register_keras_serializable(package="keras_qa")
class SelfAttentivePooling(PreciseLayer, MaskingLayer):
    """Takes a weighted mean of a text's states, weighed by themselves.

    With h_t the states of a text,

        s_t = w . tanh(W h_t)
        a_t = exp(s_t) / (sum over k of exp(s_k))
        o = sum over t of a_t h_t

    over the positions that the mask marks as words: padding changes nothing,
    and o is 0 for a text without words. Under mixed precision weights and mean
    are float32.

    Args:
        units: number of rows of W; by default the size of the states.
        kernel_initializer: initialiser of W and w.
        kernel_regularizer: regulariser of W and w.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words. Without one,
            all positions are words.

    Output:
        Float tensor `(batch_size, dim)`, without a mask.

    Raises:
        ValueError: if `units` is neither None nor a positive integer.

    Example:
        >>> states = keras.random.normal((2, 9, 8))
        >>> SelfAttentivePooling()(states).shape
        (2, 8)

    Reference: Lin et al., 2017, "A Structured Self-attentive Sentence
    Embedding", equations 5 and 6 with one hop.
    """

    input_spec = keras.layers.InputSpec(ndim=3)

    def __init__(
        self,
        units: int | None = None,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive_or_none(units=units)
        self.units = units
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)

    def build(self, input_shape: Any) -> None:
        """Creates W and w."""
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
                ("score_kernel", (units, 1)),
            )
        )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Weighs and averages the states."""
        hidden = ops.tanh(ops.matmul(inputs, self.kernel))
        scores = ops.matmul(hidden, self.score_kernel)[..., 0]
        weights = masked_softmax(ops.cast(scores, self.precise), mask)
        states = ops.cast(inputs, self.precise)
        return ops.sum(weights[:, :, None] * states, axis=1)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, dim)`."""
        return (input_shape[0], input_shape[2])
