"""One-way attention: a question weighs the positions of an answer."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive_or_none
from keras_qa.initializers import fresh
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.sequences import masked_softmax

POOLINGS = ("max", "avg")


def position_pooling(pooling: str, **kwargs: Any) -> keras.layers.Layer:
    """Returns the layer for the name of a pooling over positions.

    Args:
        pooling: `"max"` or `"avg"`.
        **kwargs: the layer's arguments.

    Returns:
        `MaxOverTime` or `BagOfWords("mean")`.

    Raises:
        ValueError: if `pooling` is unknown.
    """
    check_choice("pooling", pooling, POOLINGS)
    if pooling == "max":
        return MaxOverTime(**kwargs)
    return BagOfWords("mean", **kwargs)


@keras.saving.register_keras_serializable(package="keras_qa")
class AnswerAttention(PairLayer, MaskingLayer):
    """Pools an answer whose positions are weighed by a question's vector.

    With `h_a(t)` the state of the answer at position t, and `o_q` the vector
    of the question,

        m(t) = W_am h_a(t) + W_qm o_q                       (equation 11)
        s(t) = exp(w_ms . tanh(m(t))) / sum over t          (equation 12)
        o_a = max, or mean, over t of s(t) h_a(t)           (equation 13)

    Sum, maximum and mean run over the positions that the mask marks as words:
    a weight on padding is exactly 0, and padding changes nothing, also where
    all states are negative. An answer without words becomes the zero vector.
    Half-precision inputs are multiplied by `W_am` and `W_qm` in half
    precision; all else is computed, and returned, in float32.

    The products `W_am h_a(t)` do not depend on the question: `keys` computes
    them once for an answer that is paired with many questions.

    Args:
        units: size of `m(t)`; by default that of the states.
        pooling: `"max"` or `"avg"`.
        kernel_initializer: initialiser of the three weights.
        kernel_regularizer: regulariser of the three weights.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, states]`, or `[question, states, keys]`, of
            float tensors `(batch_size, question_dim)`, `(batch_size, length,
            dim)` and `(batch_size, length, units)`.
        mask: list of one mask per input. Only that of the states is used: a
            bool tensor `(batch_size, length)`, true at words. Without one,
            all positions are words.
        return_attention_scores: whether the weights `s` are returned too.

    Output:
        Float tensor `(batch_size, dim)`, without a mask; with
        `return_attention_scores`, a list of this tensor and the weights
        `(batch_size, length)`.

    Raises:
        ValueError: if an argument is out of range, or the inputs are not a
            list of a vector and one or two sequences.

    Example:
        >>> question = keras.random.normal((2, 6))
        >>> states = keras.random.normal((2, 9, 8))
        >>> AnswerAttention()([question, states]).shape
        (2, 8)

    Reference: Tan et al., 2016, "Improved Representation Learning for
    Question Answer Matching", section 3.3.
    """

    parts = {
        "question": ("batch_size", "question_dim"),
        "states": ("batch_size", "length", "dim"),
        "keys": ("batch_size", "length", "units"),
    }
    optional = ("keys",)

    def __init__(
        self,
        units: int | None = None,
        pooling: str = "max",
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive_or_none(units=units)
        self.units = units
        self.pooling = pooling
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.pool = position_pooling(pooling, dtype=self.precise, name="pool")

    def build(self, input_shape: Any) -> None:
        """Creates `W_am`, `W_qm` and `w_ms`."""
        question, states = input_shape[:2]
        units = self.units or states[-1]
        self.answer_projection = self._projection(
            "answer_projection", units, self.dtype_policy, states
        )
        self.question_projection = self._projection(
            "question_projection", units, self.dtype_policy, question
        )
        self.score = self._projection(
            "score", 1, self.precise, (*states[:-1], units)
        )

    def _projection(
        self, name: str, units: int, dtype: Any, shape: tuple
    ) -> keras.layers.Dense:
        layer = keras.layers.Dense(
            units,
            use_bias=False,
            kernel_initializer=fresh(self.kernel_initializer),
            kernel_regularizer=self.kernel_regularizer,
            dtype=dtype,
            name=name,
        )
        layer.build(shape)
        return layer

    def keys(self, states: Any) -> Any:
        """Computes `W_am h_a(t)`, the part of equation 11 without the question.

        Args:
            states: float tensor `(batch_size, length, dim)`.

        Returns:
            Float tensor `(batch_size, length, units)`.
        """
        return self.answer_projection(states)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
    ) -> Any:
        """Weighs and pools the answer."""
        question, states, *keys = inputs
        words = None if mask is None else mask[1]
        keys = keys[0] if keys else self.keys(states)
        m = keys + self.question_projection(question)[:, None, :]
        logits = self.score(ops.tanh(ops.cast(m, self.precise)))
        weights = masked_softmax(ops.squeeze(logits, axis=-1), words)
        weighted = weights[:, :, None] * ops.cast(states, self.precise)
        pooled = self.pool(weighted, mask=words)
        return [pooled, weights] if return_attention_scores else pooled

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, dim)`."""
        return (input_shape[1][0], input_shape[1][2])

    def compute_output_spec(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
    ) -> Any:
        """The outputs' shapes and dtypes, with the weights if asked for."""
        shapes = [tuple(x.shape) for x in inputs]
        pooled = keras.KerasTensor(
            self.compute_output_shape(shapes), dtype=self.precise
        )
        weights = keras.KerasTensor(shapes[1][:2], dtype=self.precise)
        return [pooled, weights] if return_attention_scores else pooled
