"""NTN-LSTM: the vectors of an LSTM, compared by a neural tensor layer."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.neural_tensor import NeuralTensor
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.siamese.recurrent import lstm_encoder
from keras_qa.models.siamese.siamese import SiameseRanker


@keras.saving.register_keras_serializable(package="keras_qa")
class NTNLSTM(SiameseRanker):
    """NTN-LSTM, the tensor layer of `CNTN` over the vectors of an LSTM.

    1. An LSTM reads each text; its last state is the text's vector, q or a.
    2. `NeuralTensor` and the vector u give the score,

        s = u^T [f(q^T M^[1:r] a + V [q; a] + b); X_feat]

    with the overlap features X_feat, if there are any.

    With m = `embedding_dim`, d = `units`, r = `slices` and f features, the
    model has 4(md + d^2 + d) + r(d^2 + 2d + 2) + f parameters without the
    embedding: 2,980,874 at the defaults. The tensor has most of those that
    `HDLSTM` saves.

    Args, call arguments and output are those of `HDLSTM`, without
    `hidden_units` and `hidden_layers`, and with

    Args:
        slices: number of slices of the tensor, r.
        activation: the function f.
        dropout: share of the vectors' entries dropped in training.

    Reference: Tay et al., 2017, "Learning to Rank Question Answer Pairs with
    Holographic Dual LSTM Architecture", its baseline NTN-LSTM; Qiu and Huang,
    2015, "Convolutional Neural Tensor Network Architecture for Community-based
    Question Answering", equations 6 and 7.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 512,
        *,
        slices: int = 5,
        activation: Any = "tanh",
        pooling: str = "last",
        bidirectional: bool = False,
        shared_encoder: bool = True,
        overlap_features: int = 0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(slices=slices)
        precise = full_policy(dtype).variable_dtype

        # === Layers ===
        drop = keras.layers.Dropout(dropout, dtype=precise, name="dropout")
        tensor = NeuralTensor(
            slices,
            activation,
            **l2_regularizers(l2, "kernel", "bias"),
            dtype=precise,
            name="tensor",
        )
        with_features = keras.layers.Concatenate(dtype=precise, name="join")
        score = keras.layers.Dense(
            1,
            use_bias=False,
            **l2_regularizers(l2, "kernel"),
            dtype=precise,
            name="score",
        )

        # === Functional model ===
        def join(question: Any, answer: Any, features: Any) -> Any:
            x = tensor([drop(question), drop(answer)])
            if features is not None:
                x = with_features([x, features])
            return score(x)

        # The base class looks up the words and connects encoders and head.
        super().__init__(lstm_encoder(self.arguments), join)

        # === Config ===
        self.activation = keras.activations.get(activation)
