"""A question and an answer as one sequence."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.layers.pair_layer import PairLayer


@keras.saving.register_keras_serializable(package="keras_qa")
class JoinedTexts(PairLayer, ConfiguredLayer):
    """Puts a trained vector between two texts and joins them.

        (q_1, ..., q_m, s, a_1, ..., a_n)

    for a question of m words and an answer of n words, without the padding
    between them. All padding is at the end, as cuDNN's LSTM needs it, and the
    separator s makes every sequence one of a word at least.

    Args:
        separator_initializer: initialiser of s; the default is that of word
            vectors without a file.
        separator_regularizer: regulariser of s.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size,
            question_length, dim)` and `(batch_size, answer_length, dim)`.
        mask: list of two bool tensors `(batch_size, length)`, true at words;
            usually comes from `Embedding(mask_zero=True)`. Without one, all
            positions are words.

    Output:
        Float tensor `(batch_size, question_length + 1 + answer_length, dim)`,
        with a mask.

    Raises:
        ValueError: if the inputs are not two tensors of vectors of one size.

    Example:
        >>> question = keras.ops.ones((2, 5, 8))
        >>> JoinedTexts()([question, keras.ops.ones((2, 9, 8))]).shape
        (2, 15, 8)

    Reference: Wang and Nyberg, 2015, "A Long Short-Term Memory Model for Answer
    Sentence Selection in Question Answering", the symbol <S>.
    """

    def __init__(
        self,
        separator_initializer: Any = None,
        separator_regularizer: Any = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.separator_initializer = keras.initializers.get(
            separator_initializer
        )
        self.separator_regularizer = keras.regularizers.get(
            separator_regularizer
        )
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Creates the separator, of the shape `(dim,)`."""
        question, _ = input_shape
        self.separator = self.add_weight(
            name="separator",
            shape=(question[-1],),
            initializer=self.separator_initializer
            or keras.initializers.RandomUniform(-0.25, 0.25),
            regularizer=self.separator_regularizer,
        )

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Joins the texts."""
        question, answer = inputs
        rows, _, dim = ops.shape(question)
        separator = ops.broadcast_to(self.separator, (rows, 1, dim))
        joined = ops.concatenate(
            [question, ops.cast(separator, question.dtype), answer], axis=1
        )
        words = _words(inputs, mask)
        length = ops.shape(words)[1]
        place = ops.arange(length, dtype="int32")
        order = ops.argsort(ops.where(words, place, place + length), axis=1)
        order = ops.cast(order, "int32")[:, :, None]
        return ops.take_along_axis(joined, order, axis=1)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        """True at words and at the separator: as many first positions."""
        words = ops.cast(_words(inputs, previous_mask), "int32")
        until = ops.cumsum(ops.ones_like(words), axis=1)
        return until <= ops.sum(words, axis=1, keepdims=True)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, question_length + 1 + answer_length, dim)`."""
        question, answer = input_shape
        lengths = (question[1], answer[1])
        joined = None if None in lengths else sum(lengths) + 1
        return (question[0], joined, question[2])


def _words(inputs: Any, mask: Any) -> Any:
    """True at words and the separator of the sequence with its padding."""
    # Unlike `mask_of`, this takes symbolic tensors of unknown lengths.
    question, answer = (
        ops.ones_like(text[:, :, 0], dtype="bool")
        if text_mask is None
        else ops.cast(text_mask, "bool")
        for text, text_mask in zip(inputs, mask or (None, None), strict=True)
    )
    single = ops.ones_like(ops.any(question, axis=1, keepdims=True))
    return ops.concatenate([question, single, answer], axis=1)
