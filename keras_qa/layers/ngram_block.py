"""One n-gram block of MRNN."""

from functools import reduce
from operator import add
from typing import Any

import keras
from keras import ops

from keras_qa.layers.same_pooling import same_pooling


class NGramBlock(keras.layers.Layer):
    """Convolution, batch normalisation, PReLU, pooling and a scale unit.

    It is part of `NGramDenseBlock`, which documents its arguments.

    The convolution reads the concatenation of the inputs along the last axis,
    but never makes it: it adds up the convolutions of each input with its
    rows of the kernel, which is the same sum. The concatenations of N dense
    blocks would hold `N (N - 1) / 2` copies of a feature map until the
    gradient is computed.

    Call arguments:
        inputs: list of float tensors `(batch_size, length, dim)`, 0 at
            padding.
        words: the mask, a bool tensor `(batch_size, length)` or None. By the
            name of `mask` Keras would fill in one for each input.
        training: whether the statistics are those of the batch.

    Output:
        Float tensor `(batch_size, length, filters)`, 0 at padding.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        pool_size: int,
        pooling: str | None,
        momentum: float,
        alpha: float,
        kernel_initializer: Any,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.filters = filters
        self.kernel_size = kernel_size
        self.pool_size = pool_size
        self.pooling = pooling
        self.kernel_initializer = kernel_initializer
        self.normalization = keras.layers.BatchNormalization(
            momentum=momentum, dtype=self.dtype_policy, name="normalization"
        )
        self.prelu = keras.layers.PReLU(
            keras.initializers.Constant(alpha),
            shared_axes=[1],
            dtype=self.dtype_policy,
            name="prelu",
        )

    def build(self, input_shape: list[tuple]) -> None:
        """Creates the kernel, the scale, and what the other steps learn."""
        # BN undoes any bias.
        self.kernel = self.add_weight(
            name="kernel",
            shape=(
                self.kernel_size,
                sum(shape[-1] for shape in input_shape),
                self.filters,
            ),
            initializer=self.kernel_initializer,
        )
        self.normalization.build((None, None, self.filters))
        self.prelu.build((None, None, self.filters))
        self.scale = self.add_weight(name="scale", shape=(), initializer="ones")

    def call(
        self,
        inputs: list[Any],
        words: Any = None,
        training: bool | None = None,
    ) -> Any:
        """Computes f_gram(UB, ws, s) of equation 3."""
        x = self.convolve(inputs)
        x = self.normalization(x, mask=words, training=training)
        x = self.prelu(x)
        x = same_pooling(x, words, self.pool_size, self.pooling)
        return self.scale * x

    def convolve(self, inputs: list[Any]) -> Any:
        """The convolution of the concatenation of the inputs.

        Args:
            inputs: list of float tensors `(batch_size, length, dim)`.

        Returns:
            Float tensor `(batch_size, length, filters)`.
        """
        parts, first = [], 0
        for x in inputs:
            last = first + x.shape[-1]
            rows = self.kernel[:, first:last]
            parts.append(ops.conv(x, rows, padding="same"))
            first = last
        return reduce(add, parts)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """None: `NGramDenseBlock` passes the mask on."""
        return None

    def compute_output_shape(self, input_shape: list[tuple]) -> tuple:
        """`(batch_size, length, filters)`."""
        return (*input_shape[0][:-1], self.filters)
