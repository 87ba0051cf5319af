"""Densely connected n-gram blocks: a text at several resolutions."""

from functools import reduce
from operator import add
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.sequences import mask_of
from keras_qa.layers.sequences import without_padding

POOLINGS = ("max", "avg", None)


@keras.saving.register_keras_serializable(package="keras_qa")
class NGramDenseBlock(ConfiguredLayer):
    """Computes feature maps of a text for words and n-grams of growing length.

    With E the word vectors and N the number of blocks,

        UB  = E if n = 1, else [G_1, ..., G_(n-1)]
        G_n = f_gram(UB, ws, s)                                 (equation 3)

    where `f_gram` consists of, in this order,

    1. a convolution over ws words, without bias, with zeros beyond the ends of
       the text: ws = 1 in the first block, `kernel_size` in all others;
    2. batch normalisation, unless `batch_normalization=False`;
    3. PReLU, x if x > 0 and alpha x otherwise, with one alpha for each feature;
    4. pooling of neighbouring positions with stride 1 and padding "same";
    5. the scale unit: one trainable scalar, 1 at the start, or `later_scale`
       in the blocks after the first.

    The kernels have the shapes `(1, embedding_dim, filters)` and
    `(kernel_size, (n - 1) filters, filters)`.

    Padding changes nothing: the batch normalisation takes its statistics from
    words only, the convolutions read padding as 0, and the pooling ignores it.
    G is 0 at padding. A batch without any word moves the statistics towards 0.

    Half-precision inputs are normalised in float32.

    Args:
        filters: size s of the feature vectors (1024 in the paper).
        blocks: number N of blocks (4 or 6 in the paper, by data set).
        kernel_size: number ws of words that a convolution reads (3 in the
            paper).
        pool_size: number of positions in a window of `same_pooling`.
        pooling: `"max"`, `"avg"` or None. The paper gives neither this nor
            `pool_size`.
        momentum: momentum of the moving mean and variance. Lower it for a
            training of few steps: after 80 steps, .99 still gives the initial
            values a weight of 45%.
        alpha: initial slope of PReLU, .25 in He et al. (2015).
        kernel_initializer: initialiser of the kernels.
        batch_normalization: whether there is step 2. It takes the length from
            word vectors, in which some carry the weight of a word.
        later_scale: start of the scale units of all blocks but the first. With
            a small one a new layer gives little but the words themselves.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, embedding_dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.
        training: whether the statistics are those of the batch.

    Output:
        Float tensor `(batch_size, blocks, length, filters)`, with the mask
        `(batch_size, length)` of the inputs.

    Raises:
        ValueError: if an argument is out of range, or the inputs have another
            number of axes.

    Example:
        >>> words = keras.random.normal((2, 7, 5))
        >>> NGramDenseBlock(filters=8, blocks=3)(words).shape
        (2, 3, 7, 8)

    Reference: MRNN (Cakaloglu et al., 2023, "MRNN: A Multi-Resolution Neural
    Network with Duplex Attention for Deep Ad-Hoc Retrieval"), section 3.2.
    """

    input_spec = keras.layers.InputSpec(ndim=3)

    def __init__(
        self,
        filters: int,
        blocks: int,
        kernel_size: int = 3,
        pool_size: int = 2,
        pooling: str | None = "max",
        momentum: float = 0.99,
        alpha: float = 0.25,
        kernel_initializer: Any = "glorot_uniform",
        batch_normalization: bool = True,
        later_scale: float = 1.0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(
            filters=filters,
            blocks=blocks,
            kernel_size=kernel_size,
            pool_size=pool_size,
        )
        check_choice("pooling", pooling, POOLINGS)
        if not 0 <= momentum < 1:
            raise ValueError(
                "`momentum` must be at least 0 and below 1. "
                f"Received: momentum={momentum!r}"
            )
        self.filters = filters
        self.blocks = blocks
        self.kernel_size = kernel_size
        self.pool_size = pool_size
        self.pooling = pooling
        self.momentum = momentum
        self.alpha = alpha
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.batch_normalization = batch_normalization
        self.later_scale = later_scale
        self.supports_masking = True
        self.stack = [
            NGramBlock(
                filters,
                kernel_size if n else 1,
                pool_size,
                pooling,
                momentum,
                alpha,
                fresh(self.kernel_initializer),
                batch_normalization,
                later_scale if n else 1.0,
                dtype=self.dtype_policy,
                name=f"block_{n + 1}",
            )
            for n in range(blocks)
        ]

    def build(self, input_shape: tuple) -> None:
        """Creates the weights of all blocks."""
        self.stack[0].build([input_shape])
        earlier = (*input_shape[:-1], self.filters)
        for n, block in enumerate(self.stack[1:], start=1):
            block.build([earlier] * n)

    def call(
        self, inputs: Any, mask: Any = None, training: bool | None = None
    ) -> Any:
        """Computes the maps, each from all earlier ones."""
        inputs = without_padding(inputs, mask)
        maps: list[Any] = []
        for block in self.stack:
            maps.append(block(maps or [inputs], words=mask, training=training))
        return ops.stack(maps, axis=1)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, blocks, length, filters)`."""
        batch_size, length, _ = input_shape
        return (batch_size, self.blocks, length, self.filters)


class NGramBlock(MaskingLayer):
    """Convolution, batch normalisation, PReLU, pooling and a scale unit.

    `NGramDenseBlock` documents the arguments.

    The convolution of the inputs, concatenated along the last axis, is computed
    as the equal sum of the convolutions of each input with its rows of the
    kernel. The concatenations of N blocks would keep `N (N - 1) / 2` copies of
    a feature map in memory until the gradient is computed.

    Call arguments:
        inputs: list of float tensors `(batch_size, length, dim)`, 0 at
            padding.
        words: the mask, a bool tensor `(batch_size, length)` or None. Keras
            would set an argument of the name `mask` to a list, one per input.
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
        batch_normalization: bool,
        scale: float,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.filters = filters
        self.kernel_size = kernel_size
        self.pool_size = pool_size
        self.pooling = pooling
        self.kernel_initializer = kernel_initializer
        self.initial_scale = scale
        self.normalization = (
            keras.layers.BatchNormalization(
                momentum=momentum, dtype=self.dtype_policy, name="normalization"
            )
            if batch_normalization
            else None
        )
        self.prelu = keras.layers.PReLU(
            keras.initializers.Constant(alpha),
            shared_axes=[1],
            dtype=self.dtype_policy,
            name="prelu",
        )

    def build(self, input_shape: list[tuple]) -> None:
        """Creates the weights of all steps."""
        # No bias: batch normalisation would remove it, and without batch
        # normalisation word vectors keep their lengths.
        self.kernel = self.add_weight(
            name="kernel",
            shape=(
                self.kernel_size,
                sum(shape[-1] for shape in input_shape),
                self.filters,
            ),
            initializer=self.kernel_initializer,
        )
        if self.normalization is not None:
            self.normalization.build((None, None, self.filters))
        self.prelu.build((None, None, self.filters))
        self.scale = self.add_weight(
            name="scale",
            shape=(),
            initializer=keras.initializers.Constant(self.initial_scale),
        )

    def call(
        self,
        inputs: list[Any],
        words: Any = None,
        training: bool | None = None,
    ) -> Any:
        """Computes f_gram(UB, ws, s) of equation 3."""
        x = self.convolve(inputs)
        if self.normalization is not None:
            x = self.normalization(x, mask=words, training=training)
        x = self.prelu(x)
        x = same_pooling(x, words, self.pool_size, self.pooling)
        return self.scale * x

    def convolve(self, inputs: list[Any]) -> Any:
        """Convolves the concatenation of the inputs.

        Args:
            inputs: list of float tensors `(batch_size, length, dim)`.

        Returns:
            Float tensor `(batch_size, length, filters)`.
        """
        parts, first = [], 0
        for x in inputs:
            last = first + x.shape[-1]
            rows = self.kernel[:, first:last]
            parts.append(
                ops.conv(x, rows, padding="same", data_format="channels_last")
            )
            first = last
        return reduce(add, parts)

    def compute_output_shape(self, input_shape: list[tuple]) -> tuple:
        """`(batch_size, length, filters)`."""
        return (*input_shape[0][:-1], self.filters)


def same_pooling(
    x: Any, mask: Any = None, size: int = 2, pooling: str | None = "max"
) -> Any:
    """Pools each window of positions, with stride 1 and padding "same".

    Window i has the positions from `i - (size - 1) // 2` to `i + size // 2`, as
    on TensorFlow. Positions beyond the ends of the text and padding are
    ignored.

    Args:
        x: float tensor `(batch_size, length, dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; None if all
            positions are words.
        size: number of positions of a window.
        pooling: `"max"`, `"avg"`, or None for no pooling.

    Returns:
        Float tensor of the shape and dtype of `x`, 0 at padding.
    """
    dtype, words = x.dtype, mask_of(x, mask)[:, :, None]
    if pooling == "max":
        x = ops.where(words, x, ops.cast(-float("inf"), x.dtype))
        x = reduce(ops.maximum, _windows(x, size, -float("inf")))
    elif pooling == "avg":
        x = reduce(add, _windows(ops.where(words, x, 0), size, 0))
        counted = reduce(add, _windows(ops.cast(words, x.dtype), size, 0))
        # Windows of padding only count 0.
        x = x / ops.maximum(counted, 1)
    x = ops.cast(x, dtype)
    return ops.where(words, x, ops.zeros_like(x))


def _windows(x: Any, size: int, fill: float) -> list[Any]:
    """Returns the first position of each window, the second, and so on."""
    before = (size - 1) // 2
    padded = ops.pad(
        x, ((0, 0), (before, size - 1 - before), (0, 0)), constant_values=fill
    )
    length = ops.shape(x)[1]
    # The position without a shift needs no copy.
    return [
        x if i == before else padded[:, i : i + length] for i in range(size)
    ]
