"""Densely connected n-gram blocks: a text at several resolutions."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.ngram_block import NGramBlock
from keras_qa.layers.same_pooling import check_pooling


@keras.saving.register_keras_serializable(package="keras_qa")
class NGramDenseBlock(keras.layers.Layer):
    """Feature maps of a text for words and for longer and longer n-grams.

    With E the word vectors and N the number of blocks,

        UB  = E if n = 1, else [G_1, ..., G_(n-1)]
        G_n = f_gram(UB, ws, s)                                 (equation 3)

    where `f_gram` is, in this order,

    1. a convolution over ws words, without bias, zero beyond the ends of the
       text: ws = 1 in the first block, `kernel_size` in all others;
    2. batch normalisation;
    3. PReLU, x where x > 0 and else alpha x, with one alpha for each feature;
    4. pooling of neighbouring positions with stride 1 and padding "same";
    5. the scale unit: one trainable scalar, 1 at the start.

    The kernels have the shapes `(1, embedding_dim, filters)` and
    `(kernel_size, (n - 1) filters, filters)`.

    Padding changes nothing: the mask is given to the batch normalisation,
    whose statistics are those of the words alone; padding is 0 to each
    convolution, wins no maximum and counts in no mean. G is 0 there. A batch
    without any word moves the statistics towards 0.

    No copy of the earlier maps is made for a block, see `NGramBlock`.
    Half-precision inputs are normalised in float32.

    Args:
        filters: size s of the feature vectors (the paper's 1024).
        blocks: number N of blocks (the paper's 4 or 6, by data set).
        kernel_size: number ws of words that a convolution sees (the paper's
            3).
        pool_size: number of positions that are pooled, see `same_pooling`;
            the paper does not say.
        pooling: `"max"`, `"avg"` or None; the paper does not say.
        momentum: of the moving mean and variance. Lower it where a training
            has few steps: after 80 steps .99 leaves them 45% of their start.
        alpha: start of PReLU's slopes; He et al. (2015) start at .25.
        kernel_initializer: initialiser of the kernels.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, length, embedding_dim)`.
        mask: bool tensor `(batch_size, length)`, true at words; usually
            comes from `Embedding(mask_zero=True)`. Without one, all positions
            are words.
        training: whether the statistics are those of the batch.

    Output:
        Float tensor `(batch_size, blocks, length, filters)`. The mask is
        passed on as it is, `(batch_size, length)`.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> words = keras.random.normal((2, 7, 5))
        >>> NGramDenseBlock(filters=8, blocks=3)(words).shape
        (2, 3, 7, 8)

    Reference: MRNN (Cakaloglu et al., 2023, "MRNN: A Multi-Resolution Neural
    Network with Duplex Attention for Deep Ad-Hoc Retrieval"), section 3.2.
    """

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
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        for name, size in (
            ("filters", filters),
            ("blocks", blocks),
            ("kernel_size", kernel_size),
            ("pool_size", pool_size),
        ):
            if size < 1:
                raise ValueError(
                    f"`{name}` must be a positive integer. "
                    f"Received: {name}={size}"
                )
        check_pooling(pooling)
        if not 0 <= momentum < 1:
            raise ValueError(
                "`momentum` must be at least 0 and below 1. "
                f"Received: momentum={momentum}"
            )
        self.filters = filters
        self.blocks = blocks
        self.kernel_size = kernel_size
        self.pool_size = pool_size
        self.pooling = pooling
        self.momentum = momentum
        self.alpha = alpha
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.supports_masking = True
        self.stack = [
            NGramBlock(
                filters,
                kernel_size if n else 1,
                pool_size,
                pooling,
                momentum,
                alpha,
                # An initialiser gives equal shapes equal values each time.
                self.kernel_initializer.clone(),
                dtype=self.dtype_policy,
                name=f"block_{n + 1}",
            )
            for n in range(blocks)
        ]

    def build(self, input_shape: tuple) -> None:
        """Creates the weights of all blocks."""
        if len(input_shape) != 3:
            raise ValueError(
                "`inputs` must have the shape (batch_size, length, "
                f"embedding_dim). Received: shape={input_shape}"
            )
        self.stack[0].build([input_shape])
        earlier = (*input_shape[:-1], self.filters)
        for n, block in enumerate(self.stack[1:], start=1):
            block.build([earlier] * n)

    def call(
        self, inputs: Any, mask: Any = None, training: bool | None = None
    ) -> Any:
        """Computes the maps, each from those before it."""
        if mask is not None:
            words = ops.cast(mask, "bool")[:, :, None]
            inputs = ops.where(words, inputs, ops.zeros_like(inputs))
        maps: list[Any] = []
        for block in self.stack:
            maps.append(block(maps or [inputs], words=mask, training=training))
        return ops.stack(maps, axis=1)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, blocks, length, filters)`."""
        batch_size, length, _ = input_shape
        return (batch_size, self.blocks, length, self.filters)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "filters": self.filters,
            "blocks": self.blocks,
            "kernel_size": self.kernel_size,
            "pool_size": self.pool_size,
            "pooling": self.pooling,
            "momentum": self.momentum,
            "alpha": self.alpha,
            "kernel_initializer": keras.initializers.serialize(
                self.kernel_initializer
            ),
        }
