"""A GRU that reads a text for a question: attention before its states."""

from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_positive
from keras_qa.initializers import fresh
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.sequences import mask_of
from keras_qa.layers.sequences import without_padding

ATTENTIONS = ("word", "context", "gate")


@keras.saving.register_keras_serializable(package="keras_qa")
class InnerAttentionGRU(PairLayer, ConfiguredLayer):
    """Reads the words of a text with a GRU, in view of a question.

    With x_t the words, r the question's vector and s the logistic function,
    words are weighed before the GRU reads them, or the question changes gates:

        a_t = s(r . M_q x_t),                     x_t <- a_t x_t   (word)
        a_t = s((M_h h_{t-1} + M_q r) . x_t),     x_t <- a_t x_t   (context)

        z_t = s(W_z x_t + U_z h_{t-1} + M_z r)        (M_z r: gate only)
        f_t = s(W_f x_t + U_f h_{t-1} + M_f r)        (M_f r: gate only)
        c_t = tanh(W_c x_t + U_c (f_t * h_{t-1}))
        h_t = (1 - z_t) * h_{t-1} + z_t * c_t

    Without a question it is the same GRU, with a_t = 1 and M_z = M_f = 0, so
    that one layer reads both texts. There are no biases.

    `occam`, the paper's lambda, prefers few words: the layer adds to the
    training loss the mean over a batch of

        max(w . r, lambda) * (a_1 + a_2 + ...)

    Padding is skipped, and outputs are 0 there.

    Args:
        units: size of the state.
        attention: `"word"`, `"context"` or `"gate"`.
        occam: smallest factor of the sum of the weights; None for no such
            loss. `"gate"` has no weights and takes none.
        go_backwards: whether the text is read from its end. The order of the
            outputs stays that of the words.
        kernel_initializer: initialiser of W, M and w.
        recurrent_initializer: initialiser of U.
        kernel_regularizer: regulariser of W, M and w.
        recurrent_regularizer: regulariser of U.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[words, question]` of float tensors `(batch_size, length,
            dim)` and `(batch_size, question_dim)`; `[words]` for no question.
        mask: list of one mask per input. Only that of the words is used: a
            bool tensor `(batch_size, length)`, true at words. Without one, all
            positions are words.

    Output:
        The states h_t, a float tensor `(batch_size, length, units)` with the
        mask of the words.

    Raises:
        ValueError: if an argument is out of range, or the inputs are no
            sequence with at most one vector.

    Example:
        >>> words = keras.random.normal((2, 9, 8))
        >>> question = keras.random.normal((2, 6))
        >>> InnerAttentionGRU(3, "gate")([words, question]).shape
        (2, 9, 3)

    Reference: Wang, Liu and Zhao, 2016, "Inner Attention based Recurrent Neural
    Networks for Answer Selection": IARNN-WORD, -CONTEXT, -GATE and -OCCAM.
    """

    parts = {
        "words": ("batch_size", "length", "dim"),
        "question": ("batch_size", "question_dim"),
    }
    optional = ("question",)

    def __init__(
        self,
        units: int,
        attention: str = "word",
        occam: float | None = None,
        go_backwards: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_positive(units=units)
        check_choice("attention", attention, ATTENTIONS)
        if occam is not None and (not occam >= 0 or attention == "gate"):
            raise ValueError(
                "`occam` must be None or at least 0, and None for the "
                "attention 'gate', which has no weights. "
                f"Received: occam={occam!r}, attention={attention!r}"
            )
        self.supports_masking = True
        self.units = units
        self.attention = attention
        self.occam = occam
        self.go_backwards = go_backwards
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.recurrent_initializer = keras.initializers.get(
            recurrent_initializer
        )
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = keras.regularizers.get(
            recurrent_regularizer
        )
        self.recurrence = keras.layers.RNN(
            _Gates(
                units,
                attention == "context",
                self.recurrent_initializer,
                self.recurrent_regularizer,
                dtype=self.dtype_policy,
                name="gates",
            ),
            return_sequences=True,
            go_backwards=go_backwards,
            dtype=self.dtype_policy,
            name="recurrence",
        )

    def build(self, input_shape: Any) -> None:
        """Creates W, U, M and w; a question must be among the inputs."""
        if len(input_shape) < 2:
            raise ValueError(
                "`inputs` must have a question the first time, or the layer "
                "be built with shapes of both. "
                f"Received: shapes={input_shape!r}"
            )
        dim, question_dim = (shape[-1] for shape in input_shape)
        self.kernel = self._weight("kernel", dim, 3 * self.units)
        gated = self.attention == "gate"
        self.question_kernel = self._weight(
            "question_kernel", question_dim, 2 * self.units if gated else dim
        )
        if self.attention == "context":
            self.context_kernel = self._weight(
                "context_kernel", dim, self.units
            )
        if self.occam is not None:
            self.penalty_kernel = self._weight(
                "penalty_kernel", question_dim, 1
            )
        self.recurrence.build((*input_shape[0][:2], 3 * self.units))

    def _weight(self, name: str, rows: int, columns: int) -> Any:
        return self.add_weight(
            shape=(rows, columns),
            initializer=fresh(self.kernel_initializer),
            regularizer=self.kernel_regularizer,
            name=name,
        )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Reads the words, for the question if there is one."""
        words, *question = inputs
        words_mask = None if mask is None else mask[0]
        read = ops.matmul(words, self.kernel)
        if not question:
            return self._states(read, words_mask)[..., : self.units]
        asked = ops.matmul(question[0], self.question_kernel)[:, None, :]
        if self.attention == "gate":
            # The question changes both gates, not the candidate.
            added = ops.pad(asked, ((0, 0), (0, 0), (0, self.units)))
            return self._states(read + added, words_mask)
        logits = ops.sum(asked * words, axis=-1, keepdims=True)
        if self.attention == "word":
            weights = ops.sigmoid(logits)
            states = self._states(weights * read, words_mask)
        else:
            # (M_h h) . x = h . (M_h^T x), whose second factor does not
            # depend on the state.
            context = ops.matmul(words, self.context_kernel)
            read = ops.concatenate([read, context, logits], axis=-1)
            states, weights = ops.split(
                self._states(read, words_mask), [self.units], axis=-1
            )
        if self.occam is not None:
            self._penalise(question[0], weights[..., 0], words_mask)
        return states

    def _states(self, read: Any, mask: Any) -> Any:
        states = self.recurrence(read, mask=mask)
        if self.go_backwards:
            states = ops.flip(states, axis=1)
        return without_padding(states, mask)

    def _penalise(self, question: Any, weights: Any, mask: Any) -> None:
        """Adds Occam's loss."""
        words = ops.cast(mask_of(weights, mask), self.precise)
        total = ops.sum(ops.cast(weights, self.precise) * words, axis=1)
        factor = ops.matmul(question, self.penalty_kernel)[:, 0]
        factor = ops.maximum(ops.cast(factor, self.precise), self.occam)
        self.add_loss(ops.mean(factor * total))

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """The mask of the words."""
        return None if previous_mask is None else previous_mask[0]

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, length, units)`."""
        return (*input_shape[0][:2], self.units)


class _Gates(keras.layers.Layer):
    """A step of `InnerAttentionGRU`.

    Inputs `(batch_size, 3 units)` are what the two gates and the candidate
    read of a word; with `(batch_size, 4 units + 1)` they are weighed by a_t,
    whose logit is linear in the state. If the layer `weighs`, a_t follows h_t
    in the state: on JAX, masked outputs must have the shape of the state.
    """

    def __init__(
        self,
        units: int,
        weighs: bool,
        initializer: Any,
        regularizer: Any,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = units
        self.weighs = weighs
        self.state_size = units + weighs
        self.initializer = initializer
        self.regularizer = regularizer

    def build(self, input_shape: Any) -> None:
        self.recurrent_kernel = self.add_weight(
            shape=(self.units, 3 * self.units),
            initializer=self.initializer,
            regularizer=self.regularizer,
            name="recurrent_kernel",
        )

    def call(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        units = self.units
        state = states[0][:, :units]
        read, weight = inputs[:, : 3 * units], ops.ones_like(state[:, :1])
        if inputs.shape[-1] > 3 * units:
            product = inputs[:, 3 * units : -1] * state
            logit = inputs[:, -1:] + ops.sum(product, axis=-1, keepdims=True)
            weight = ops.sigmoid(logit)
            read = weight * read
        kernel = ops.convert_to_tensor(self.recurrent_kernel)
        gates = ops.sigmoid(
            read[:, : 2 * units] + ops.matmul(state, kernel[:, : 2 * units])
        )
        update, reset = ops.split(gates, 2, axis=-1)
        candidate = ops.tanh(
            read[:, 2 * units :]
            + ops.matmul(reset * state, kernel[:, 2 * units :])
        )
        state = (1 - update) * state + update * candidate
        if self.weighs:
            state = ops.concatenate([state, weight], axis=-1)
        return state, [state]
