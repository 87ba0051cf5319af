"""ARC-I: two texts convolved and pooled apart, compared by a network."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.gated_convolution import GatedConvolution
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.layers.max_over_windows import MaxOverWindows
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.siamese.siamese import SiameseRanker


@keras.saving.register_keras_serializable(package="keras_qa")
class ARCI(SiameseRanker):
    """ARC-I: convolves and pools each text, and compares two vectors.

    1. `GatedConvolution` computes `filters` features of each window of
       `kernel_size` words, exactly 0 at padding (equations 1 and 2).
    2. `MaxOverWindows` takes the maximum of every two neighbours, which halves
       the number of positions (equation 3).
    3. 1 and 2 are repeated, `blocks` times in all.
    4. The maximum of each feature over the positions that remain is the text's
       vector. The paper pads all texts to one length, so that a fixed number
       of positions remains, and concatenates these; here texts have any length.
    5. A network with one hidden layer of `hidden_units` compares the
       concatenated vectors: "2 for MLP" with the layer of the score.

    With m = `embedding_dim`, k = `kernel_size`, c = `filters`, h =
    `hidden_units` and l = `blocks`, the model has kmc + c + (l - 1)(kc^2 + c) +
    2ch + 2h + 1 parameters without the embedding: 230,801 at the defaults.

    Id 0 is padding and, after the words, changes nothing. The vector of a text
    without words is 0. `question_encoder` and `answer_encoder` compute the
    vector of a text, and `head` scores the vectors of a pair. Under mixed
    precision, convolutions and hidden layer are computed in half precision.
    The paper trains it with a hinge of margin 1: `PairwiseTrainer` and
    `PairwiseHinge(margin=1.0)`.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        filters: number of features of a window, and size of a text's vector:
            "typically from 200 to 500" in the paper.
        kernel_size: number of words in a window, and of positions in those of
            later layers.
        blocks: number of convolutions, each with its pooling.
        hidden_units: size of the hidden layer; the paper does not give it.
        activation: activation of convolutions and hidden layer.
        shared_encoder: whether question and answer share the convolutions, as
            in the Siamese architectures that the paper names; False gives each
            side its own.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. In the
            paper it is fixed.
        dropout: share of the vectors' and the hidden layer's entries dropped in
            training. The paper has dropout for small data sets, and does not
            give the share.
        l2: strength of the L2 regularisation of all trainable parameters.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)`, higher is better.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = ARCI(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Hu et al., 2014, "Convolutional Neural Network Architectures for
    Matching Natural Language Sentences", sections 2, 3.1 and 4.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 50,
        filters: int = 200,
        *,
        kernel_size: int = 3,
        blocks: int = 2,
        hidden_units: int = 200,
        activation: Any = "relu",
        shared_encoder: bool = True,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(blocks=blocks, hidden_units=hidden_units)
        policy = full_policy(dtype)
        precise = policy.variable_dtype
        weights = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        def make_encoder() -> Callable[[Any, Any], Any]:
            pairs = [
                (
                    GatedConvolution(
                        filters,
                        kernel_size,
                        activation,
                        **weights,
                        dtype=policy,
                        name=f"convolution_{i}",
                    ),
                    MaxOverWindows(dtype=policy, name=f"pooling_{i}"),
                )
                for i in range(1, blocks + 1)
            ]
            pool = MaxOverTime(dtype=precise, name="max")

            def encode(_: Any, x: Any) -> Any:
                for convolution, pooling in pairs:
                    x = pooling(convolution(x))
                return pool(x)

            return encode

        drop_pair, drop_hidden = (
            keras.layers.Dropout(dropout, dtype=precise, name=name)
            for name in ("pair_dropout", "hidden_dropout")
        )
        pair = keras.layers.Concatenate(dtype=precise, name="pair")
        hidden = keras.layers.Dense(
            hidden_units, activation, **weights, dtype=policy, name="hidden"
        )
        score = keras.layers.Dense(1, **weights, dtype=precise, name="score")

        # === Functional model ===
        def join(question: Any, answer: Any, _: Any) -> Any:
            x = drop_pair(pair([question, answer]))
            return score(drop_hidden(hidden(x)))

        # The base class looks up the words and connects encoders and head.
        super().__init__(make_encoder, join)

        # === Config ===
        self.activation = keras.activations.get(activation)
