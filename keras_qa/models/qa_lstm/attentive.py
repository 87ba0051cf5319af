"""Attentive LSTM and Attentive CNN: the question weighs the answer's words."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.attentive_bilstm import AttentiveBiLSTM
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import bidirectional_lstm
from keras_qa.models.encoders import text_convolution
from keras_qa.models.qa_lstm.encoded import EncodedTextRanker


class AttentiveRanker(EncodedTextRanker):
    """The base of Attentive LSTM and Attentive CNN: all but the encoder.

    Args:
        encoder: layer from the words of a text to its states.
    """

    def __init__(self, encoder: keras.layers.Layer):
        given = self.arguments
        check_positive(embedding_dim=given.embedding_dim)

        # === Layers ===
        attentive = AttentiveBiLSTM(
            attention_units=given.attention_units,
            pooling=given.pooling,
            encoder=encoder,
            **l2_regularizers(given.l2, "kernel"),
            dtype=full_policy(given.dtype),
            name="attentive",
        )
        attentive.build([(None, None, given.embedding_dim)] * 2)

        # === Functional model ===
        super().__init__(
            attentive.encode_question,
            attentive.encode_answer,
            lambda question, answer: attentive.attend(
                question, answer, answer["mask"]
            )[0],
        )
        answer = self._read["answer"]
        _, weights = attentive.attend(
            self._read["question"], answer, answer["mask"]
        )
        self.attentive = attentive
        self.attention = keras.Model(
            self.input, {"answer": weights}, name="attention"
        )


@keras.saving.register_keras_serializable(package="keras_qa")
class AttentiveLSTM(AttentiveRanker):
    """QA-LSTM in which the question weighs the words of the answer.

    `AttentiveBiLSTM` reads both texts with one bidirectional LSTM, takes the
    maximum, or mean, of the question's states, weighs the answer's states by
    this vector (equations 11 to 13), and takes the maximum, or mean, of the
    weighted states. The score is the cosine of the two vectors.

    An answer's states do not depend on the question: `answer_encoder` returns
    a dict of `"states"`, of `"keys"` (their part of equation 11) and of
    `"mask"`, each with one row per answer, and `head` takes this dict.
    `attention` is a model with the same inputs that returns the weights of the
    answer's words, a dict of `"answer"` `(batch_size, answer_length)`.

    Id 0 is padding: its weight is exactly 0 and it changes nothing. Texts may
    have any length; the cosine of a text without words is 0. Under mixed
    precision weights, pooling and similarity are float32.

    Equations 11 and 12 add 2 * 2d * u + u parameters to those of `QALSTM`,
    with d = `units` and u = `attention_units`: 159,330 at the paper's d = 141
    and u = 2d.

    Args, call arguments and output are those of `QALSTM`, with

    Args:
        pooling: `"max"` (row N of Table 3) or `"avg"` (L and M), of both
            texts.
        attention_units: size of the vectors that equation 11 compares; by
            default that of the states, 2 `units`. The paper does not give it.

    Reference: Tan et al., 2016, "Improved Representation Learning for
    Question Answer Matching", section 3.3.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        units: int = 141,
        *,
        pooling: str = "max",
        attention_units: int | None = None,
        similarity: Any = "cosine",
        dropout: float = 0.0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        super().__init__(bidirectional_lstm(units, l2, full_policy(dtype)))


@keras.saving.register_keras_serializable(package="keras_qa")
class AttentiveCNN(AttentiveRanker):
    """QA-CNN in which the question weighs the words of the answer.

    It is `AttentiveLSTM` with the convolution of `QACNN` instead of the LSTM.
    Without the embedding it has kmc + 2cu + u parameters, with m =
    `embedding_dim`, c = `filters`, k = `kernel_size` and u =
    `attention_units`: 440,400 at the defaults.

    Args, call arguments and output are those of `AttentiveLSTM`, without
    `units`, and with

    Args:
        filters: size of the states (the paper's c).
        kernel_size: number of words in a window (the paper's k).
        activation: activation of the states, as in `QACNN`.
        use_bias: whether the convolution has a bias, as in `QACNN`.

    Reference: Tan et al., 2016, "Improved Representation Learning for
    Question Answer Matching", section 4.3, row K of Table 3.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        *,
        filters: int = 400,
        kernel_size: int = 3,
        activation: Any = "tanh",
        use_bias: bool = False,
        pooling: str = "max",
        attention_units: int | None = None,
        similarity: Any = "cosine",
        dropout: float = 0.0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        convolution = text_convolution(
            filters, kernel_size, activation, use_bias, l2, full_policy(dtype)
        )
        super().__init__(convolution)
        self.activation = convolution.activation
