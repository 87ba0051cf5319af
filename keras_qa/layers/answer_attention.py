"""One-way attention: a question weighs the positions of an answer."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.max_over_time import MaxOverTime

POOLINGS = ("max", "avg")


def position_pooling(pooling: str, **kwargs: Any) -> keras.layers.Layer:
    """The layer that pools the positions of a text by the name of a pooling.

    Args:
        pooling: `"max"` or `"avg"`.
        **kwargs: the layer's arguments.

    Returns:
        `MaxOverTime` or `BagOfWords("mean")`.

    Raises:
        ValueError: if `pooling` is unknown.
    """
    if pooling not in POOLINGS:
        raise ValueError(
            f"`pooling` must be one of {POOLINGS}. Received: "
            f"pooling={pooling!r}"
        )
    if pooling == "max":
        return MaxOverTime(**kwargs)
    return BagOfWords("mean", **kwargs)


@keras.saving.register_keras_serializable(package="keras_qa")
class AnswerAttention(keras.layers.Layer):
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
    them once for an answer that meets many questions.

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
        mask: list of as many masks, of which only that of the states is used:
            a bool tensor `(batch_size, length)`, true at words. Without one,
            all positions are words.
        return_attention_scores: whether the weights `s` are returned too.

    Output:
        Float tensor `(batch_size, dim)`, without a mask; with
        `return_attention_scores`, a list of it and the weights `(batch_size,
        length)`.

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

    def __init__(
        self,
        units: int | None = None,
        pooling: str = "max",
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        if units is not None and units < 1:
            raise ValueError(
                "`units` must be a positive integer or None. "
                f"Received: units={units}"
            )
        self.units = units
        self.pooling = pooling
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.supports_masking = True
        # Logits, softmax and pooling stay in float32 under mixed precision.
        self.precise = keras.backend.result_type(self.compute_dtype, "float32")
        self.pool = position_pooling(pooling, dtype=self.precise, name="pool")

    def build(self, input_shape: Any) -> None:
        """Creates `W_am`, `W_qm` and `w_ms`."""
        question, states = _shapes(input_shape)
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
            # An initialiser gives equal shapes equal values each time.
            kernel_initializer=self.kernel_initializer.clone(),
            kernel_regularizer=self.kernel_regularizer,
            dtype=dtype,
            name=name,
        )
        layer.build(shape)
        return layer

    def keys(self, states: Any) -> Any:
        """`W_am h_a(t)`, the part of equation 11 that needs no question.

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

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """No mask: the axis of positions is gone."""
        return None

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, dim)`."""
        _, states = _shapes(input_shape)
        return (states[0], states[2])

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

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "units": self.units,
            "pooling": self.pooling,
            "kernel_initializer": keras.initializers.serialize(
                self.kernel_initializer
            ),
            "kernel_regularizer": keras.regularizers.serialize(
                self.kernel_regularizer
            ),
        }


def _shapes(shapes: Any) -> Any:
    """The shapes of the question's vector and of the answer's states."""
    ranks = [
        len(shape) if isinstance(shape, tuple | list) else 0 for shape in shapes
    ]
    if ranks not in ([2, 3], [2, 3, 3]):
        raise ValueError(
            "`inputs` must be a list [question, states] of tensors "
            "(batch_size, question_dim) and (batch_size, length, dim), or "
            "[question, states, keys] with keys (batch_size, length, units). "
            f"Received: shapes={shapes}"
        )
    return shapes[:2]


def masked_softmax(x: Any, mask: Any) -> Any:
    """Softmax over the true positions, exactly 0 elsewhere.

    Args:
        x: float tensor `(n, length)`.
        mask: bool tensor `(n, length)`, or None if all positions count.

    Returns:
        Float tensor `(n, length)`; all 0 in rows without a true position.
    """
    if mask is None:
        return ops.softmax(x, axis=-1)
    mask = ops.cast(mask, "bool")
    x = ops.where(mask, x, -1e30)
    x = x - ops.stop_gradient(ops.max(x, axis=-1, keepdims=True))
    exponentials = ops.where(mask, ops.exp(x), 0.0)
    total = ops.sum(exponentials, axis=-1, keepdims=True)
    # The largest term is 1, so this bound only meets empty texts.
    return exponentials / ops.maximum(total, 0.5)
