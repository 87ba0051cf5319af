"""AP-BiLSTM and AP-CNN: attentive pooling over two encodings."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.attentive_pooling import AttentivePooling
from keras_qa.layers.cosine_similarity import CosineSimilarity
from keras_qa.models.building import count_parameters
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import bidirectional_lstm
from keras_qa.models.encoders import text_convolution
from keras_qa.models.encoders import word_projection
from keras_qa.models.word_model import WordModel
from keras_qa.text.sides import SIDES


class AttentivePoolingRanker(WordModel):
    """The base of AP-BiLSTM and AP-CNN: all but the encoder.

    It reads the other arguments of both from `self.arguments`.

    Args:
        encoder: layer from the words of a text to its hidden states.
    """

    def __init__(self, encoder: keras.layers.Layer):
        given = self.arguments
        policy = full_policy(given.dtype)

        # === Layers ===
        embedding = word_vectors(given)
        projection = None
        if given.projection_dim is not None:
            projection = word_projection(given.projection_dim, given.l2, policy)
        drop_words, drop_states = (
            keras.layers.Dropout(given.dropout, dtype=policy, name=name)
            for name in ("word_dropout", "state_dropout")
        )
        pooling = AttentivePooling(
            kernel_initializer=given.kernel_initializer,
            **l2_regularizers(given.l2, "kernel"),
            dtype=policy,
            name="attentive_pooling",
        )
        # The score stays in float32 under mixed precision.
        cosine = CosineSimilarity(dtype=policy.variable_dtype, name="cosine")

        # === Functional model ===
        texts = text_inputs()
        states = []
        for ids in texts.values():
            x = embedding(ids)
            if projection is not None:
                x = projection(x)
            states.append(drop_states(encoder(drop_words(x))))
        question, answer, *weights, matches = pooling(
            states, return_attention_scores=True, return_matches=True
        )
        super().__init__(texts, cosine([question, answer]))

        # === Config ===
        self.kernel_initializer = pooling.kernel_initializer
        self.embedding = embedding
        self.projection = projection
        self.encoder = encoder
        self.pooling = pooling
        self.attention = keras.Model(
            texts, dict(zip(SIDES, weights, strict=True)), name="attention"
        )
        self.attention_maps = keras.Model(
            texts, {"positions": matches}, name="attention_maps"
        )

    @property
    def core_parameters(self) -> int:
        """Number of trainable parameters without embedding and projection."""
        return count_parameters(self, self.embedding, self.projection)


@keras.saving.register_keras_serializable(package="keras_qa")
class APBiLSTM(AttentivePoolingRanker):
    """Scores a pair by the cosine of two texts with mutual attention.

    1. One bidirectional LSTM encodes both texts: the columns of `Q` and `A`
       are the hidden states of their words, of the size 2 `units`.
    2. `AttentivePooling` weighs the words of each text by their best match in
       the other, G = tanh(Q^T U A), and pools them to `r_q` and `r_a`.
    3. The score is cos(r_q, r_a).

    Train it on pairs of a correct and a wrong answer, with `PairwiseTrainer`
    and `PairwiseHinge(margin)`, the published hinge on the difference of two
    cosines. `attention` is a model with the same inputs that returns the
    weights of the words, a dict of `"question"` `(batch_size,
    question_length)` and `"answer"` `(batch_size, answer_length)`;
    `attention_maps` returns a dict of `"positions"`, the matches G,
    `(batch_size, question_length, answer_length)`, -1 at padding.

    Id 0 is padding: its weight is 0 and it changes nothing. Texts may have
    any length; the cosine of a text without words is 0. Under mixed precision
    pooling and score are float32.

    Without embedding and projection the model has

        2 * 4 (md + d^2 [+ d]) + 4 d^2

    parameters, with m = `projection_dim`, d = `units` and [d] the biases: at
    m = 300 and d = 512, 4,378,624, and 4,374,528 without biases. Table 2 of
    Tay et al. (2018) prints the formula 4(md + d^2) + 4d^2, which lacks the
    factor 2 of the two directions and gives 2,711,552, and the number 5.86M,
    which is 4(md + d^2) + 4(2d)^2 = 5,857,280. Neither is the size of this
    model.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        projection_dim: size of the projected vectors, as in `CTRN`; `None`
            omits the projection, as dos Santos et al. do.
        units: size of the hidden state of each direction.
        use_bias: whether the LSTM has biases; those of the forget gate start
            at 1. The parameter count of Tay et al. has none.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding, as dos
            Santos et al. do; in Tay et al. it is fixed.
        dropout: share of the encoder's inputs and outputs dropped in
            training. dos Santos et al. give none.
        l2: strength of the L2 regularisation of all trainable parameters.
        kernel_initializer: initialiser of `U`.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)` in [-1, 1], higher is better.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = APBiLSTM(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)
        >>> model.attention(pair)["answer"]
        [[1.]]

    Reference: dos Santos et al., 2016, "Attentive Pooling Networks",
    sections 2.3 and 3.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        projection_dim: int | None = 300,
        units: int = 512,
        *,
        use_bias: bool = True,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        kernel_initializer: Any = "glorot_uniform",
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        super().__init__(
            bidirectional_lstm(units, l2, full_policy(dtype), use_bias)
        )


@keras.saving.register_keras_serializable(package="keras_qa")
class APCNN(AttentivePoolingRanker):
    """AP-BiLSTM with a convolution instead of the bidirectional LSTM.

    `TextConvolution` computes `units` features of each word from the window of
    `kernel_size` words centred at it. Without embedding and projection the
    model has kmd + d + d^2 parameters: at m = 300, d = 512 and k = 3, 723,456.

    Args, call arguments and output are those of `APBiLSTM`, with

    Args:
        units: number of filters (dos Santos et al.'s c).
        kernel_size: number of words in a window.
        activation: activation of the convolution; dos Santos et al. give
            none.
        use_bias: whether the convolution has a bias.

    Reference: dos Santos et al., 2016, "Attentive Pooling Networks",
    sections 2.2 and 3.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        projection_dim: int | None = 300,
        units: int = 512,
        *,
        kernel_size: int = 3,
        activation: Any = "linear",
        use_bias: bool = True,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        kernel_initializer: Any = "glorot_uniform",
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(units=units)
        super().__init__(
            text_convolution(
                units,
                kernel_size,
                activation,
                use_bias,
                l2,
                full_policy(dtype),
            )
        )
        self.activation = keras.activations.get(activation)
