"""The neural tensor layer: bilinear and linear features of two vectors."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.pair_layer import PairLayer


@keras.saving.register_keras_serializable(package="keras_qa")
class NeuralTensor(PairLayer, ConfiguredLayer):
    """Computes features of two vectors by a tensor and a matrix.

        h = f(q^T M^[1:r] a + V [q; a] + b)

    The tensor `M` has r slices; slice k gives the bilinear form q^T M^[k] a.
    Masks are neither used nor passed on.

    Args:
        units: number of slices of the tensor (the paper's r).
        activation: the nonlinearity f.
        kernel_initializer: initialiser of `M` and `V`.
        kernel_regularizer: regulariser of `M` and `V`.
        bias_regularizer: regulariser of `b`.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_dim)` and `(batch_size, answer_dim)`.

    Output:
        Float tensor `(batch_size, units)`.

    Raises:
        ValueError: if `units` is not a positive integer, or the inputs are not
            two vectors.

    Example:
        >>> q, a = keras.ops.ones((2, 3)), keras.ops.ones((2, 4))
        >>> NeuralTensor(5)([q, a]).shape
        (2, 5)

    Reference: Qiu and Huang, 2015, "Convolutional Neural Tensor Network
    Architecture for Community-based Question Answering", equations 6 and 7;
    Socher et al., 2013, "Reasoning With Neural Tensor Networks for Knowledge
    Base Completion", equation 1.
    """

    parts = {
        "question": ("batch_size", "question_dim"),
        "answer": ("batch_size", "answer_dim"),
    }

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(units=units)
        self.units = units
        self.activation = keras.activations.get(activation)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)

    def build(self, input_shape: Any) -> None:
        """Creates `M`, `V` and `b`."""
        question_dim, answer_dim = (shape[-1] for shape in input_shape)
        # The slices side by side, so that one product applies all of them.
        self.tensor = self.add_weight(
            name="tensor",
            shape=(question_dim, self.units * answer_dim),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
        )
        self.kernel = self.add_weight(
            name="kernel",
            shape=(question_dim + answer_dim, self.units),
            initializer=fresh(self.kernel_initializer),
            regularizer=self.kernel_regularizer,
        )
        self.bias = self.add_weight(
            name="bias",
            shape=(self.units,),
            initializer="zeros",
            regularizer=self.bias_regularizer,
        )

    def call(self, inputs: Any) -> Any:
        """Computes the features."""
        question, answer = inputs
        # (batch_size, units, answer_dim) by (batch_size, 1, answer_dim)
        products = ops.reshape(
            ops.matmul(question, self.tensor),
            (-1, self.units, answer.shape[-1]),
        )
        bilinear = ops.sum(products * answer[:, None, :], axis=-1)
        linear = ops.matmul(ops.concatenate(inputs, axis=-1), self.kernel)
        return self.activation(bilinear + linear + self.bias)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, units)`."""
        return (input_shape[0][0], self.units)
