"""Attention whose weights depend on the words around each position."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.lstm import LSTM
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.softmax_pooling import SoftmaxPooling


@keras.saving.register_keras_serializable(package="keras_qa")
class SequentialAttention(PrecisePairLayer, MaskingLayer):
    """Averages states with weights that an LSTM computes.

    With the states h_t of a text and a vector q of their size,

        y_t = h_t * q (elementwise)
        b_1, ..., b_n = BiLSTM(y_1, ..., y_n)
        e_t = sum of the elements of b_t
        o = sum over t of softmax_t(e) h_t

    The sum is over the positions that the mask marks as words, and 0 without
    any. Under mixed precision the LSTM is computed in half precision, weights
    and sum in float32.

    Args:
        units: size of the LSTM's state in each direction.
        kernel_regularizer: regulariser of the LSTM's matrices.
        bias_regularizer: regulariser of its biases.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[query, states]` of float tensors `(batch_size, dim)` and
            `(batch_size, length, dim)`.
        mask: list of two masks, of which the second is used: a bool tensor
            `(batch_size, length)`, true at words. Without one, all positions
            are words.

    Output:
        Float tensor `(batch_size, dim)`, without a mask.

    Raises:
        ValueError: if `units` is no positive integer, or the inputs are not a
            vector and a sequence of vectors of its size.

    Example:
        >>> states = keras.random.normal((2, 7, 6))
        >>> SequentialAttention(units=3)([states[:, 0], states]).shape
        (2, 6)

    Reference: Tran and Niederée, 2018, "Multihop Attention Networks for
    Question Answer Matching"; Brarda et al., 2017, "Sequential Attention: A
    Context-Aware Alignment Function for Machine Reading".
    """

    parts = {
        "query": ("batch_size", "dim"),
        "states": ("batch_size", "length", "dim"),
    }

    def __init__(
        self,
        units: int,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(units=units)
        self.units = units
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)
        self.bilstm = keras.layers.Bidirectional(
            LSTM(
                units,
                return_sequences=True,
                kernel_regularizer=self.kernel_regularizer,
                recurrent_regularizer=self.kernel_regularizer,
                bias_regularizer=self.bias_regularizer,
                dtype=self.dtype_policy,
                name="lstm",
            ),
            dtype=self.dtype_policy,
            name="bilstm",
        )
        self.pool = SoftmaxPooling(dtype=self.precise, name="pool")

    def build(self, input_shape: Any) -> None:
        """Builds the LSTM."""
        self.bilstm.build(input_shape[1])

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Weighs the states."""
        query, states = inputs
        words = None if mask is None else mask[1]
        outputs = self.bilstm(states * query[:, None], mask=words)
        scores = ops.sum(ops.cast(outputs, self.precise), axis=-1)
        return self.pool([states, scores], mask=[words, None])

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, dim)`."""
        return (input_shape[1][0], input_shape[1][2])
