"""AttentiveBiLSTM: an encoder of text pairs with attention on the answer."""

from typing import Any

import keras

from keras_qa.arguments import check_positive_or_none
from keras_qa.layers.answer_attention import AnswerAttention
from keras_qa.layers.answer_attention import position_pooling
from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.lstm import LSTM
from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.sequences import without_padding


@keras.saving.register_keras_serializable(package="keras_qa")
class AttentiveBiLSTM(PairLayer, MaskingLayer):
    """Encodes a pair of texts; the question weighs the answer's positions.

    One bidirectional LSTM, or another encoder, reads both texts:

    1. `o_q` is the maximum, or mean, over the question's states;
    2. `AnswerAttention` weighs the answer's states by `o_q` (equations 11 to
       13) and takes the maximum, or mean, of the weighted states as `o_a`.

    Both steps run over the positions that the masks mark as words: padding
    has a weight of exactly 0 and changes nothing. A text without words
    becomes the zero vector. Under mixed precision the encoder runs in half
    precision; softmax and pooling keep float32.

    Args:
        units: size of the LSTM's state in each direction (the paper's 141);
            `None` with an `encoder`.
        attention_units: size of the vectors that equation 11 compares; by
            default that of the encoder's states. The paper does not give it.
        pooling: `"max"` or `"avg"`, of both texts.
        encoder: layer from words `(batch_size, length, dim)` to states
            `(batch_size, length, state_dim)`, in place of the LSTM; a
            `TextConvolution` gives the paper's Attentive CNN.
        kernel_initializer: initialiser of the attention's weights.
        kernel_regularizer: regulariser of the attention's weights.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_length, dim)` and `(batch_size, answer_length, dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words;
            usually comes from `Embedding(mask_zero=True)`. Where there is
            none, all positions are words.
        return_attention_scores: whether the weights of the answer's positions
            are returned too.

    Output:
        List `[o_q, o_a]` of float tensors `(batch_size, state_dim)`, without
        masks, with `state_dim` = 2 `units` for the LSTM; with
        `return_attention_scores`, `[o_q, o_a, weights]`, with weights of the
        shape `(batch_size, answer_length)`.

    Raises:
        ValueError: if an argument is out of range, both or none of `units`
            and `encoder` are given, or the inputs are not two sequences.

    Example:
        >>> question = keras.random.normal((2, 5, 8))
        >>> answer = keras.random.normal((2, 9, 8))
        >>> [o.shape for o in AttentiveBiLSTM(3)([question, answer])]
        [(2, 6), (2, 6)]

    Reference: Tan et al., 2016, "Improved Representation Learning for
    Question Answer Matching", section 3.3.
    """

    not_kept = ("encoder",)

    def __init__(
        self,
        units: int | None = None,
        attention_units: int | None = None,
        pooling: str = "max",
        encoder: keras.layers.Layer | None = None,
        kernel_initializer: Any = "glorot_uniform",
        kernel_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        if (units is None) == (encoder is None):
            raise ValueError(
                "Exactly one of `units` and `encoder` must be given. "
                f"Received: units={units!r}, encoder={encoder!r}"
            )
        check_positive_or_none(units=units, attention_units=attention_units)
        self.units = units
        self.attention_units = attention_units
        self.pooling = pooling
        self.encoder = encoder or keras.layers.Bidirectional(
            LSTM(
                units,
                return_sequences=True,
                dtype=self.dtype_policy,
                name="lstm",
            ),
            dtype=self.dtype_policy,
            name="bilstm",
        )
        self.pool = position_pooling(pooling, dtype=self.precise, name="pool")
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.attention = AnswerAttention(
            attention_units,
            pooling,
            kernel_initializer=self.kernel_initializer,
            kernel_regularizer=self.kernel_regularizer,
            dtype=self.dtype_policy,
            name="attention",
        )

    def build(self, input_shape: Any) -> None:
        """Builds the encoder, for both texts, and the attention."""
        question, answer = input_shape
        if not self.encoder.built:
            self.encoder.build((answer[0], None, answer[2]))
        states = [
            self.encoder.compute_output_shape(text)
            for text in (question, answer)
        ]
        self.attention.build([(states[0][0], states[0][-1]), states[1]])

    def encode_question(self, words: Any, mask: Any = None) -> Any:
        """Encodes questions as their vectors `o_q`.

        Args:
            words: float tensor `(batch_size, length, dim)`.
            mask: bool tensor `(batch_size, length)` or None.

        Returns:
            Float tensor `(batch_size, state_dim)`.
        """
        return self.pool(self.encoder(words, mask=mask), mask=mask)

    def encode_answer(self, words: Any, mask: Any = None) -> dict[str, Any]:
        """Encodes answers, without a question.

        Args:
            words: float tensor `(batch_size, length, dim)`.
            mask: bool tensor `(batch_size, length)` or None.

        Returns:
            Dict of float tensors: `"states"` `(batch_size, length,
            state_dim)`, 0 on padding, and `"keys"` `(batch_size, length,
            attention_units)`.
        """
        states = without_padding(self.encoder(words, mask=mask), mask)
        return {"states": states, "keys": self.attention.keys(states)}

    def attend(
        self,
        question: Any,
        answer: dict[str, Any],
        mask: Any = None,
    ) -> list[Any]:
        """Computes the answer's vector `o_a` for a question, and the weights.

        Args:
            question: the result of `encode_question`.
            answer: the result of `encode_answer`.
            mask: bool tensor `(batch_size, answer_length)` or None.

        Returns:
            List of the vector `(batch_size, state_dim)` and the weights
            `(batch_size, answer_length)`.
        """
        return self.attention(
            [question, answer["states"], answer["keys"]],
            mask=None if mask is None else [None, mask, None],
            return_attention_scores=True,
        )

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
    ) -> list[Any]:
        """Encodes both texts."""
        question, answer = inputs
        question_mask, answer_mask = mask or (None, None)
        o_q = self.encode_question(question, question_mask)
        o_a, weights = self.attend(
            o_q, self.encode_answer(answer, answer_mask), answer_mask
        )
        return [o_q, o_a, weights] if return_attention_scores else [o_q, o_a]

    def compute_output_shape(self, input_shape: Any) -> list[tuple]:
        """`[(batch_size, state_dim), (batch_size, state_dim)]`."""
        shapes = [
            self.encoder.compute_output_shape(text) for text in input_shape
        ]
        return [(shape[0], shape[-1]) for shape in shapes]

    def compute_output_spec(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
    ) -> list[keras.KerasTensor]:
        """The outputs' shapes and dtypes, with the weights if asked for."""
        shapes = [tuple(text.shape) for text in inputs]
        outputs = self.compute_output_shape(shapes)
        if return_attention_scores:
            outputs.append(shapes[1][:2])
        return [
            keras.KerasTensor(shape, dtype=self.precise) for shape in outputs
        ]

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        encoder = None
        if self.units is None:
            encoder = keras.saving.serialize_keras_object(self.encoder)
            # `build` of this layer builds the encoder.
            encoder.pop("build_config", None)
        return {**super().get_config(), "encoder": encoder}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "AttentiveBiLSTM":
        """Rebuilds the layer, and its encoder if one was given."""
        encoder = config["encoder"]
        if encoder is not None:
            encoder = keras.saving.deserialize_keras_object(encoder)
        return cls(**{**config, "encoder": encoder})
