"""HyperQA's projection of word vectors."""

from typing import Any

import keras

from keras_qa.arguments import check_positive
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import ConfiguredLayer


@keras.saving.register_keras_serializable(package="keras_qa")
class WordProjection(ConfiguredLayer):
    """Projects each word vector to a task-specific space.

    With `z` the vector of a word, the layer computes

        x = activation(W z + b)

    `num_layers` times, with other weights each time. All words share these
    weights.

    The layer passes its mask on. Outputs at padding are not zero: layers that
    pool them must apply the mask.

    Args:
        units: size of the projected vectors (the paper's d).
        num_layers: number of projections, one after the other.
        activation: activation after each projection.
        dropout: share of the inputs of each projection that is dropped in
            training. The paper has none, its released code has.
        kernel_initializer: initialiser of each projection matrix. The paper
            does not give it.
        kernel_regularizer: regulariser of each projection matrix.
        kernel_constraint: constraint of each projection matrix, such as
            `PoincareBall`, which keeps its rows in the ball.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(..., embedding_dim)`.
        training: whether dropout is applied.

    Output:
        Float tensor `(..., units)`.

    Raises:
        ValueError: if `units` or `num_layers` is not a positive integer.

    Example:
        >>> layer = WordProjection(4)
        >>> layer(keras.ops.ones((2, 7, 3))).shape
        (2, 7, 4)

    Reference: Tay et al., 2018, "Hyperbolic Representation Learning for Fast
    and Efficient Neural Question Answering", section 3.2, equation 1.
    """

    def __init__(
        self,
        units: int,
        num_layers: int = 1,
        activation: Any = "relu",
        dropout: float = 0.0,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        kernel_constraint: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(units=units, num_layers=num_layers)
        self.units = units
        self.num_layers = num_layers
        self.activation = keras.activations.get(activation)
        self.dropout = dropout
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.kernel_constraint = keras.constraints.get(kernel_constraint)
        self.supports_masking = True
        self._projections = [
            keras.layers.Dense(
                units,
                activation=self.activation,
                kernel_initializer=fresh(self.kernel_initializer),
                kernel_regularizer=self.kernel_regularizer,
                kernel_constraint=self.kernel_constraint,
                dtype=self.dtype_policy,
                name=f"projection_{i}",
            )
            for i in range(num_layers)
        ]
        self._dropouts = [
            keras.layers.Dropout(
                dropout, dtype=self.dtype_policy, name=f"dropout_{i}"
            )
            for i in range(num_layers)
        ]

    def build(self, input_shape: tuple) -> None:
        """Creates the weights for inputs `(..., embedding_dim)`."""
        for projection in self._projections:
            projection.build(input_shape)
            input_shape = (*input_shape[:-1], self.units)

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """Projects the last axis."""
        x = inputs
        for dropout, projection in zip(
            self._dropouts, self._projections, strict=True
        ):
            x = projection(dropout(x, training=training))
        return x

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(..., units)`."""
        return (*input_shape[:-1], self.units)
