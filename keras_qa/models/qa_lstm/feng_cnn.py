"""Architecture II of Feng et al.: a hidden layer, a convolution, a maximum."""

from typing import Any

import keras

from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.models.building import check_positive
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.encoders import text_convolution
from keras_qa.models.qa_lstm.encoded import EncodedTextRanker


@keras.saving.register_keras_serializable(package="keras_qa")
class FengCNN(EncodedTextRanker):
    """Scores a pair by the similarity of two convolved texts.

    Question and answer share all layers:

    1. a hidden layer turns each word vector into `hidden_units` tanh
       features;
    2. a convolution computes `filters` features of each `kernel_size` words;
    3. the maximum of each over the words, and its tanh, is the text's vector;
    4. the score is the cosine of the two vectors, or their `GESD`.

    Without the embedding the model has mh + h + khc + c parameters, with m =
    `embedding_dim`, h = `hidden_units`, k = `kernel_size` and c = `filters`:
    1,624,200 at the defaults.

    Args, call arguments and output are those of `QALSTM`, without `units` and
    `pooling`, and with

    Args:
        hidden_units: size of the hidden layer.
        filters: size of a text's vector.
        kernel_size: number of words that a filter sees, here a word and the
            one after it.
        use_bias: whether hidden layer and convolution have biases.

    Reference: Feng et al., 2015, "Applying Deep Learning to Answer Selection:
    A Study and an Open Task", Architecture II; Tan et al., 2016, "Improved
    Representation Learning for Question Answer Matching", section 4.2.
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        *,
        hidden_units: int = 200,
        filters: int = 4000,
        kernel_size: int = 2,
        use_bias: bool = True,
        l2: float = 0.0,
        dtype: Any = None,
        **kwargs: Any,
    ):
        check_positive(
            hidden_units=hidden_units, filters=filters, kernel_size=kernel_size
        )
        policy = full_policy(dtype)
        precise = policy.variable_dtype
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
        super().__init__(
            {
                "hidden_units": hidden_units,
                "filters": filters,
                "kernel_size": kernel_size,
                "use_bias": use_bias,
            },
            lambda words: tanh(pool(convolution(hidden(words)))),
            vocabulary_size=vocabulary_size,
            embedding_dim=embedding_dim,
            l2=l2,
            dtype=dtype,
            **kwargs,
        )
        self.hidden = hidden
        self.convolution = convolution
