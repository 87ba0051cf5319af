"""A sum of decision trees over the features of a pair."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import PreciseLayer


@keras.saving.register_keras_serializable(package="keras_qa")
class BoostedTrees(PreciseLayer):
    """Adds up the values that decision trees give to features.

        score = bias + Σ_t v_t(leaf_t(x))

    Each tree t has the depth D. Its node i, from 0 to 2^D - 2, asks whether
    one feature is at most a threshold; then node 2i + 1 follows, otherwise 2i +
    2. The last 2^D are the leaves, of which x reaches one.

    Features, thresholds, values and bias are weights that `assign` sets, such
    as those of `keras_qa.ranking.stacking.boosting.boosted_trees`. Until then,
    each score is 0. Nothing is trained by gradients, which are 0 for the
    inputs, too. Thresholds and scores are float32 under mixed precision.

    Args:
        trees: number of trees.
        depth: D, number of questions that each tree asks.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, features)`.

    Output:
        Float tensor `(batch_size, 1)`.

    Raises:
        ValueError: if an argument is not a positive integer.

    Example:
        >>> layer = BoostedTrees(trees=1, depth=1)
        >>> layer.assign([[1]], [[0.5]], [[-1.0, 2.0]], bias=0.25)
        >>> layer(np.array([[7.0, 0.5], [7.0, 0.6]]))
        [[-0.75], [2.25]]

    Reference: Friedman, 2001, "Greedy Function Approximation: A Gradient
    Boosting Machine", section 4.3.
    """

    input_spec = keras.layers.InputSpec(ndim=2)

    def __init__(self, trees: int, depth: int, **kwargs: Any):
        # Autocasting would round the features to half precision.
        super().__init__(autocast=False, **kwargs)
        check_positive(trees=trees, depth=depth)
        self.trees = trees
        self.depth = depth
        self.build((None, None))

    def build(self, input_shape: tuple) -> None:
        """Creates nodes, leaves and bias."""
        # The constructor calls it; a layer around this one may do so again.
        if self.built:
            return
        inner = (self.trees, 2**self.depth - 1)
        self.features = self.add_weight(
            name="features",
            shape=inner,
            dtype="int32",
            initializer="zeros",
            trainable=False,
        )
        self.thresholds, self.values, self.bias = (
            self.add_precise_weight(
                name=name,
                shape=shape,
                initializer="zeros",
                trainable=False,
            )
            for name, shape in (
                ("thresholds", inner),
                ("values", (self.trees, 2**self.depth)),
                ("bias", ()),
            )
        )

    def assign(
        self, features: Any, thresholds: Any, values: Any, bias: float
    ) -> None:
        """Sets what the trees ask and answer.

        Args:
            features: number of the feature of each node, `(trees, 2^D - 1)`.
            thresholds: those of the nodes, of the same shape.
            values: those of the leaves, `(trees, 2^D)`.
            bias: what all scores begin with.

        Raises:
            ValueError: if an array has another shape, a feature a negative
                number, or a number is not finite.
        """
        given = {
            "features": np.asarray(features),
            "thresholds": np.asarray(thresholds, dtype=np.float64),
            "values": np.asarray(values, dtype=np.float64),
            "bias": np.asarray(bias, dtype=np.float64),
        }
        for name, array in given.items():
            shape = tuple(getattr(self, name).shape)
            if array.shape != shape or not np.isfinite(array).all():
                raise ValueError(
                    f"`{name}` must be finite and of the shape {shape}. "
                    f"Received: {name}={array!r}"
                )
        if (given["features"] < 0).any():
            raise ValueError(
                "`features` must be numbers of features, from 0. "
                f"Received: {given['features'].min()}"
            )
        for name, array in given.items():
            getattr(self, name).assign(array)

    def call(self, inputs: Any) -> Any:
        """Follows all trees at once."""
        x = ops.cast(inputs, self.precise)
        asked = ops.take(x, ops.reshape(self.features, (-1,)), axis=1)
        asked = ops.reshape(asked, (-1, self.trees, 2**self.depth - 1))
        left = ops.cast(asked <= self.thresholds, x.dtype)
        # 1 at the node of each level that is reached: no gathering by index,
        # which not every export can express.
        reached = ops.ones_like(left[:, :, :1])
        for level in range(self.depth):
            start = 2**level - 1
            down = left[:, :, start : 2 * start + 1]
            # (batch_size, trees, nodes of the level, 2)
            both = ops.stack([reached * down, reached * (1 - down)], axis=-1)
            reached = ops.reshape(both, (-1, self.trees, 2 ** (level + 1)))
        total = ops.sum(reached * self.values, axis=(1, 2))
        return total[:, None] + self.bias

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(batch_size, 1)`."""
        return (input_shape[0], 1)
