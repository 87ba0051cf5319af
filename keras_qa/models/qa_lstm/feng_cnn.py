"""Architecture II of Feng et al.: hidden layer, convolution and maximum."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import text_convolution
from keras_qa.models.qa_lstm.encoded import EncodedTextRanker


@keras.saving.register_keras_serializable(package="keras_qa")
class FengCNN(EncodedTextRanker):
    """Scores a pair by the similarity of two convolved texts.

    Question and answer share all layers:

    1. a hidden layer computes `hidden_units` tanh features of each word
       vector;
    2. a convolution computes `filters` features of each window of
       `kernel_size` words;
    3. the tanh of the maximum of each feature over the words is the text's
       vector;
    4. the score is the cosine of the two vectors, or their `GESD`.

    Without the embedding the model has mh + h + khc + c parameters, with m =
    `embedding_dim`, h = `hidden_units`, k = `kernel_size` and c = `filters`:
    1,624,200 at the defaults.

    Args, call arguments and output are those of `QALSTM`, without `units` and
    `pooling`, and with

    Args:
        hidden_units: size of the hidden layer.
        filters: size of a text's vector.
        kernel_size: number of words in a window; 2 for a word and the next.
        use_bias: whether hidden layer and convolution have biases.

    Reference: Feng et al., 2015, "Applying Deep Learning to Answer Selection:
    A Study and an Open Task", Architecture II; Tan et al., 2016, "Improved
    Representation Learning for Question Answer Matching", section 4.2.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        *,
        hidden_units: int = 200,
        filters: int = 4000,
        kernel_size: int = 2,
        use_bias: bool = True,
        similarity: Any = "cosine",
        dropout: float = 0.0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(hidden_units=hidden_units)
        policy = full_policy(dtype)
        precise = policy.variable_dtype

        # === Layers ===
        hidden = keras.layers.Dense(
            hidden_units,
            activation="tanh",
            use_bias=use_bias,
            **l2_regularizers(l2, "kernel", "bias"),
            dtype=policy,
            name="hidden",
        )
        convolution = text_convolution(
            filters, kernel_size, "linear", use_bias, l2, policy
        )
        pool = MaxOverTime(dtype=precise, name="max")
        tanh = keras.layers.Activation("tanh", dtype=precise, name="tanh")

        # === Functional model ===
        super().__init__(lambda words: tanh(pool(convolution(hidden(words)))))
        self.hidden = hidden
        self.convolution = convolution
