"""The sum of a network's outputs for all pairs of words of two texts."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.sequences import mask_of


@keras.saving.register_keras_serializable(package="keras_qa")
class RelationSum(PrecisePairLayer, MaskingLayer):
    """The relations of all pairs of words, summed.

    With q_i the vectors of the question and a_j those of the answer,

        y = sum over i, j of g(q_i, a_j)
        g(q, a) = f(W_n ... f(W_1 [q; a] + b_1) ... + b_n)

    with n = `depth` layers of one size. The sum is over words alone, and 0 if
    a text has none. W_1 [q; a] is the sum of two products, computed once for a
    word. Under mixed precision the sum is float32.

    Args:
        units: size of all layers of g.
        depth: number of layers of g.
        activation: the function f.
        kernel_initializer: initialiser of the matrices.
        kernel_regularizer: regulariser of the matrices.
        bias_regularizer: regulariser of the biases.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_length, dim)` and `(batch_size, answer_length, dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words.
            Where there is none, all positions are words.

    Output:
        Float tensor `(batch_size, units)`, without a mask.

    Raises:
        ValueError: if a size is no positive integer, or the inputs are not two
            sequences of vectors of one size.

    Example:
        >>> words = keras.random.normal((2, 7, 5))
        >>> RelationSum(units=6)([words[:, :3], words[:, 3:]]).shape
        (2, 6)

    Reference: Santoro et al., 2017, "A Simple Neural Network Module for
    Relational Reasoning", section 2, equation 1.
    """

    def __init__(
        self,
        units: int,
        depth: int = 4,
        activation: Any = "relu",
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(units=units, depth=depth)
        self.units = units
        self.depth = depth
        self.activation = keras.activations.get(activation)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)

    def build(self, input_shape: Any) -> None:
        """Creates the layers of g."""
        dim = input_shape[0][-1]
        self.kernel = self.add_weight(
            name="kernel",
            shape=(2 * dim, self.units),
            initializer=fresh(self.kernel_initializer),
            regularizer=self.kernel_regularizer,
        )
        self.bias = self.add_weight(
            name="bias",
            shape=(self.units,),
            initializer="zeros",
            regularizer=self.bias_regularizer,
        )
        self.others = [self._dense(f"layer_{i}") for i in range(1, self.depth)]

    def _dense(self, name: str) -> keras.layers.Dense:
        layer = keras.layers.Dense(
            self.units,
            kernel_initializer=fresh(self.kernel_initializer),
            kernel_regularizer=self.kernel_regularizer,
            bias_regularizer=self.bias_regularizer,
            dtype=self.dtype_policy,
            name=name,
        )
        layer.build((None, self.units))
        return layer

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Computes g for all pairs and sums those of words."""
        asked, answered = map(mask_of, inputs, mask or (None, None))
        question, answer = (ops.cast(x, self.compute_dtype) for x in inputs)
        dim = question.shape[-1]
        left = ops.matmul(question, self.kernel[:dim])[:, :, None]
        right = ops.matmul(answer, self.kernel[dim:])[:, None]
        x = self.activation(left + right + self.bias)
        for layer in self.others:
            x = self.activation(layer(x))
        words = asked[:, :, None, None] & answered[:, None, :, None]
        return ops.sum(ops.where(words, ops.cast(x, self.precise), 0.0), (1, 2))

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, units)`."""
        return (input_shape[0][0], self.units)
