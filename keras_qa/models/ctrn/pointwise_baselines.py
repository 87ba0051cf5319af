"""CTRN's baselines: the same model with a QRNN, an LSTM or a convolution."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.lstm import LSTM
from keras_qa.layers.qrnn import QRNNLayer
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.ctrn.pointwise import PointwiseRanker
from keras_qa.models.ctrn.pointwise import PooledStates
from keras_qa.models.ctrn.pointwise import ProjectedWords
from keras_qa.models.ctrn.pointwise import dense_head
from keras_qa.models.encoders import text_convolution

STATE_POOLINGS = ("mean", "last", "max", "attentive")


class TextwiseRanker(PointwiseRanker):
    """A pointwise ranker that encodes each text without the other.

    With attentive pooling, by which the vectors of two texts depend on each
    other, and with alignment features, the model has no `question_encoder` and
    `answer_encoder`.

    It reads the other arguments of its subclasses from `self.arguments`.

    Args:
        encoder: layer from a text's words to its hidden states, or to one
            vector if the argument `pooling` is `"last"`.
        poolings: the allowed values of `pooling`, see `PooledStates`.
    """

    def __init__(self, encoder: keras.layers.Layer, poolings: tuple[str, ...]):
        given = self.arguments

        # === Layers ===
        words = ProjectedWords(given)
        pooling = PooledStates(given, poolings)
        head = dense_head(given)

        # === Functional model ===
        texts = text_inputs(given.question_length, given.answer_length)
        # The head alone cannot score vectors with features of the words.
        if pooling.of_pairs or given.alignment_features:
            vectors = pooling([encoder(words(ids)) for ids in texts.values()])
            super().__init__(texts, vectors, words, encoder, head)
            return
        ids = keras.Input((None,), dtype="int32", name="words")
        text_encoder = keras.Model(
            ids, pooling.alone(encoder(words(ids))), name="text_encoder"
        )
        vectors = [text_encoder(ids) for ids in texts.values()]
        super().__init__(texts, vectors, words, encoder, head)

        # === Config ===
        self.question_encoder = text_encoder
        self.answer_encoder = text_encoder


@keras.saving.register_keras_serializable(package="keras_qa")
class QRNNRanker(TextwiseRanker):
    """CTRN without the crossing: each text is encoded without the other.

    `QRNNLayer` replaces `CrossTemporalLayer` and has the same weights; the rest
    is as in `CTRN`. `question_encoder` and `answer_encoder` compute the vector
    of a text, and `head` scores the vectors of a pair.

    Args, call arguments and output are those of `CTRN`, without
    `crossed_input` and `alignment`, and with

    Args:
        pooling: `"mean"` of the hidden states (as in `CTRN`) or the `"last"`
            state; the paper does not say which one its baseline uses. `"max"`
            and `"attentive"` as in `CTRN`.

    Reference: Tay et al., 2018, "Cross Temporal Recurrent Networks for
    Ranking Question Answer Pairs", equation 1; Bradbury et al., 2016,
    "Quasi-Recurrent Neural Networks".
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        projection_dim: int = 300,
        units: int = 512,
        *,
        kernel_size: int = 2,
        pooling: str = "mean",
        zoneout: float = 0.0,
        use_bias: bool = False,
        pooled_normalization: bool = False,
        hidden_units: int = 128,
        hidden_layers: int = 1,
        projection_layers: int = 1,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        activation: Any = "relu",
        dropout: float = 0.5,
        word_dropout: float = 0.0,
        l2: float = 4e-6,
        overlap_features: int = 0,
        alignment_features: bool = False,
        question_length: int | None = None,
        answer_length: int | None = None,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        encoder = QRNNLayer(
            units,
            kernel_size,
            zoneout=zoneout,
            use_bias=use_bias,
            return_sequences=pooling != "last",
            **l2_regularizers(l2, "kernel", "bias"),
            dtype=full_policy(dtype),
            name="qrnn",
        )
        super().__init__(encoder, STATE_POOLINGS)


@keras.saving.register_keras_serializable(package="keras_qa")
class LSTMRanker(TextwiseRanker):
    """The LSTM baseline: `QRNNRanker` with an LSTM instead of the QRNN.

    It has 4(md + d^2) + 2dh + h = 1,794,176 parameters, CTRN 1,052,800 (see
    `CTRN` for the letters). The printed count has no biases; `use_bias=True`
    adds 4d biases, of which those of the forget gate start at 1.

    Args, call arguments and output are those of `CTRN`, without
    `kernel_size`, `crossed_input`, `alignment` and `zoneout`, and with

    Args:
        pooling: `"mean"` of the hidden states (as in `CTRN`) or the `"last"`
            state; the paper does not say which one its baseline uses. `"max"`
            and `"attentive"` as in `CTRN`.

    Reference: Tay et al., 2018, "Cross Temporal Recurrent Networks for
    Ranking Question Answer Pairs", Table 2.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        projection_dim: int = 300,
        units: int = 512,
        *,
        pooling: str = "mean",
        use_bias: bool = False,
        pooled_normalization: bool = False,
        hidden_units: int = 128,
        hidden_layers: int = 1,
        projection_layers: int = 1,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        activation: Any = "relu",
        dropout: float = 0.5,
        word_dropout: float = 0.0,
        l2: float = 4e-6,
        overlap_features: int = 0,
        alignment_features: bool = False,
        question_length: int | None = None,
        answer_length: int | None = None,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(units=units)
        encoder = LSTM(
            units,
            use_bias=use_bias,
            return_sequences=pooling != "last",
            **l2_regularizers(l2, "kernel", "recurrent", "bias"),
            dtype=full_policy(dtype),
            name="lstm",
        )
        super().__init__(encoder, STATE_POOLINGS)


@keras.saving.register_keras_serializable(package="keras_qa")
class CNNRanker(TextwiseRanker):
    """The CNN baseline: `QRNNRanker` with a convolution instead of the QRNN.

    `TextConvolution` computes features of each window of words, and the maximum
    of each feature over the words is the text's vector. The paper quotes the
    results of a "vanilla CNN" and does not describe it: activation and pooling
    are those of Severyn and Moschitti (2015).

    Args, call arguments and output are those of `CTRN`, without
    `crossed_input`, `alignment` and `zoneout`, and with

    Args:
        kernel_size: number of words in a window.
        convolution_activation: activation of the convolution.
        pooling: `"max"` or `"mean"`, over the words of a text.
        use_bias: whether the convolution has a bias.

    Reference: Severyn and Moschitti, 2015, "Learning to Rank Short Text Pairs
    with Convolutional Deep Neural Networks", section 3.2.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        projection_dim: int = 300,
        units: int = 512,
        *,
        kernel_size: int = 3,
        convolution_activation: Any = "relu",
        pooling: str = "max",
        use_bias: bool = True,
        pooled_normalization: bool = False,
        hidden_units: int = 128,
        hidden_layers: int = 1,
        projection_layers: int = 1,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        activation: Any = "relu",
        dropout: float = 0.5,
        word_dropout: float = 0.0,
        l2: float = 4e-6,
        overlap_features: int = 0,
        alignment_features: bool = False,
        question_length: int | None = None,
        answer_length: int | None = None,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(units=units)
        encoder = text_convolution(
            units,
            kernel_size,
            convolution_activation,
            use_bias,
            l2,
            full_policy(dtype),
        )
        super().__init__(encoder, ("max", "mean"))
        self.convolution_activation = encoder.activation
