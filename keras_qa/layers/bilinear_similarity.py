"""The bilinear similarity of a question and an answer vector."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.pair_layer import PairLayer


@keras.saving.register_keras_serializable(package="keras_qa")
class BilinearSimilarity(PairLayer, ConfiguredLayer):
    """Bilinear form of two vectors, with a learned matrix.

        sim(q, a) = q^T M a + b

    M maps an answer to what the question is expected to be near to. Masks are
    neither used nor passed on.

    Args:
        use_bias: whether there is the number `b`.
        kernel_initializer: initialiser of `M`.
        kernel_regularizer: regulariser of `M`.
        bias_regularizer: regulariser of `b`.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_dim)` and `(batch_size, answer_dim)`.

    Output:
        Similarities, a float tensor `(batch_size, 1)`.

    Raises:
        ValueError: if the inputs are not a list of two vectors.

    Example:
        >>> layer = BilinearSimilarity(kernel_initializer="ones")
        >>> layer([np.array([[1.0, 2.0]]), np.array([[3.0]])])
        [[9.]]

    Reference: Yu et al., 2014, "Deep Learning for Answer Sentence Selection",
    section 3; Severyn and Moschitti, 2015, "Learning to Rank Short Text Pairs
    with Convolutional Deep Neural Networks", section 3.
    """

    parts = {
        "question": ("batch_size", "question_dim"),
        "answer": ("batch_size", "answer_dim"),
    }

    def __init__(
        self,
        use_bias: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.use_bias = use_bias
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)

    def build(self, input_shape: Any) -> None:
        """Creates `M`, `(question_dim, answer_dim)`, and `b`."""
        question, answer = input_shape
        self.kernel = self.add_weight(
            name="kernel",
            shape=(question[-1], answer[-1]),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias",
                shape=(1,),
                initializer="zeros",
                regularizer=self.bias_regularizer,
            )

    def call(self, inputs: Any) -> Any:
        """Computes the similarities."""
        question, answer = inputs
        product = ops.matmul(question, self.kernel) * answer
        similarity = ops.sum(product, axis=-1, keepdims=True)
        return similarity + self.bias if self.use_bias else similarity

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, 1)`."""
        return (input_shape[0][0], 1)
