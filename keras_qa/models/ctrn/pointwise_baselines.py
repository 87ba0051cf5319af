"""CTRN's baselines: the same model around a QRNN, an LSTM or a convolution."""

from typing import Any

import keras

from keras_qa.layers.qrnn import QRNNLayer
from keras_qa.layers.text_convolution import TextConvolution
from keras_qa.models.building import check_positive
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.ctrn.pointwise import PointwiseRanker


@keras.saving.register_keras_serializable(package="keras_qa")
class QRNNRanker(PointwiseRanker):
    """CTRN without the crossing: each text is encoded by itself.

    `QRNNLayer` takes the place of `CrossTemporalLayer`, with the same weights;
    all else is as in `CTRN`. As no text sees the other, `question_encoder` and
    `answer_encoder` compute the vector of a text alone and `head` scores two
    such vectors.

    Args, call arguments and output are those of `CTRN`, without
    `crossed_input` and `alignment`, and with

    Args:
        pooling: `"mean"` of the hidden states (as in `CTRN`) or the `"last"`
            one. The paper does not say which its baseline has.

    Reference: Tay et al., 2018, "Cross Temporal Recurrent Networks for
    Ranking Question Answer Pairs", equation 1; Bradbury et al., 2016,
    "Quasi-Recurrent Neural Networks".
    """

    poolings = ("mean", "last")

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
        l2: float = 4e-6,
        dtype: Any = None,
        **kwargs: Any,
    ):
        own: dict[str, Any] = {
            "kernel_size": kernel_size,
            "zoneout": zoneout,
            "use_bias": use_bias,
        }
        super().__init__(
            (vocabulary_size, embedding_dim, projection_dim, units),
            QRNNLayer(
                units,
                **own,
                return_sequences=pooling != "last",
                **l2_regularizers(l2, "kernel", "bias"),
                dtype=full_policy(dtype),
                name="qrnn",
            ),
            own,
            pooling=pooling,
            l2=l2,
            dtype=dtype,
            **kwargs,
        )


@keras.saving.register_keras_serializable(package="keras_qa")
class LSTMRanker(PointwiseRanker):
    """The LSTM baseline: `QRNNRanker` with an LSTM for the QRNN.

    It has 4(md + d^2) + 2dh + h = 1,794,176 parameters where CTRN has
    1,052,800. The printed count has no biases; `use_bias=True` adds 4d, those
    of the forget gate started at 1.

    Args, call arguments and output are those of `CTRN`, without
    `kernel_size`, `crossed_input`, `alignment` and `zoneout`, and with

    Args:
        pooling: `"mean"` of the hidden states (as in `CTRN`) or the `"last"`
            one. The paper does not say which its baseline has.

    Reference: Tay et al., 2018, "Cross Temporal Recurrent Networks for
    Ranking Question Answer Pairs", Table 2.
    """

    poolings = ("mean", "last")

    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        projection_dim: int = 300,
        units: int = 512,
        *,
        pooling: str = "mean",
        use_bias: bool = False,
        l2: float = 4e-6,
        dtype: Any = None,
        **kwargs: Any,
    ):
        check_positive(units=units)
        own: dict[str, Any] = {"use_bias": use_bias}
        super().__init__(
            (vocabulary_size, embedding_dim, projection_dim, units),
            keras.layers.LSTM(
                units,
                **own,
                return_sequences=pooling != "last",
                **l2_regularizers(l2, "kernel", "recurrent", "bias"),
                dtype=full_policy(dtype),
                name="lstm",
            ),
            own,
            pooling=pooling,
            l2=l2,
            dtype=dtype,
            **kwargs,
        )


@keras.saving.register_keras_serializable(package="keras_qa")
class CNNRanker(PointwiseRanker):
    """The CNN baseline: `QRNNRanker` with a convolution for the QRNN.

    `TextConvolution` gives each word a vector that depends on the words
    around it, and the largest value of each feature over the text's words is
    the text's vector. The paper reports its "vanilla CNN" from others and
    describes none: filters, activation and pooling are those common since
    Severyn and Moschitti (2015).

    Args, call arguments and output are those of `CTRN`, without
    `crossed_input`, `alignment` and `zoneout`, and with

    Args:
        kernel_size: number of words that a filter sees, the middle one and
            those around it.
        convolution_activation: activation of the convolution.
        pooling: `"max"` or `"mean"`, over the words of a text.
        use_bias: whether the convolution has a bias.

    Reference: Severyn and Moschitti, 2015, "Learning to Rank Short Text Pairs
    with Convolutional Deep Neural Networks", section 3.2.
    """

    poolings = ("max", "mean")

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
        l2: float = 4e-6,
        dtype: Any = None,
        **kwargs: Any,
    ):
        check_positive(units=units, kernel_size=kernel_size)
        convolution_activation = keras.activations.get(convolution_activation)
        own: dict[str, Any] = {
            "kernel_size": kernel_size,
            "convolution_activation": convolution_activation,
            "use_bias": use_bias,
        }
        super().__init__(
            (vocabulary_size, embedding_dim, projection_dim, units),
            TextConvolution(
                units,
                kernel_size,
                activation=convolution_activation,
                use_bias=use_bias,
                **l2_regularizers(l2, "kernel", "bias"),
                dtype=full_policy(dtype),
                name="convolution",
            ),
            own,
            pooling=pooling,
            l2=l2,
            dtype=dtype,
            **kwargs,
        )

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without the embedding matrix."""
        return {
            **super().get_config(),
            "convolution_activation": keras.activations.serialize(
                self.convolution_activation
            ),
        }
