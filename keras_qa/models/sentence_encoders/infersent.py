"""InferSent: the maxima of a bidirectional LSTM's states, compared."""

from types import SimpleNamespace
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.siamese.recurrent import lstm_encoder
from keras_qa.models.siamese.siamese import SiameseRanker


@keras.saving.register_keras_serializable(package="keras_qa")
class InferSent(SiameseRanker):
    """InferSent as a ranker: BiLSTM-max and a classifier of two vectors.

    1. A bidirectional LSTM reads each text; the maximum of each state's element
       over the words is the text's vector, u or v.
    2. A hidden layer reads the vectors, their differences and products, and a
       linear layer gives the score:

        h = f(W [u; v; |u - v|; u * v] + b)

    The authors train it as a classifier of three classes on pairs of natural
    language inference, which has no data here: this is its architecture,
    trained on questions and answers. One logit is equal to a softmax of two
    classes. Htut et al. (2018) rank passages by such a model, with u - v.

    With m = `embedding_dim`, d = `units` and h = `hidden_units`, the model has
    8(md + d^2 + d) + 8dh + 2h + 1 parameters without the embedding: 46,875,649
    at the defaults.

    Id 0 is padding and changes nothing. Texts may have any length; the vector
    of a text without words is 0. `question_encoder` and `answer_encoder`
    compute the vector of a text, and `head` scores the vectors of a pair. Under
    mixed precision, LSTM and hidden layer are computed in half precision.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        units: size of the LSTM's state in each direction.
        hidden_units: size of the hidden layer.
        activation: activation of the hidden layer; the paper names none, the
            authors' code has linear layers, or tanh.
        pooling: `"max"` or `"mean"` of the states, or `"last"`, the final state
            of each direction, which the paper has of a GRU.
        shared_encoder: whether question and answer share the LSTM; False gives
            each side its own.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding, which is
            fixed in the paper.
        dropout: share of the entries of the texts' vectors and of the hidden
            layer dropped in training.
        l2: strength of the L2 regularisation of all trainable parameters.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)`, higher is better: the log-odds that the
        answer is right, if it is trained with
        `keras.losses.BinaryCrossentropy(from_logits=True)`.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = InferSent(vocabulary_size=100, units=64)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Conneau et al., 2017, "Supervised Learning of Universal Sentence
    Representations from Natural Language Inference Data", sections 3.1 (the
    pair) and 3.2.2 (the encoder). The numbers of its equations are not at hand.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 2048,
        *,
        hidden_units: int = 512,
        activation: Any = "tanh",
        pooling: str = "max",
        shared_encoder: bool = True,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(hidden_units=hidden_units)
        policy = full_policy(dtype)
        precise = policy.variable_dtype
        weights = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        drop_pair, drop_hidden = (
            keras.layers.Dropout(dropout, dtype=precise, name=name)
            for name in ("pair_dropout", "hidden_dropout")
        )
        features = keras.layers.Concatenate(dtype=precise, name="features")
        hidden = keras.layers.Dense(
            hidden_units, activation, **weights, dtype=policy, name="hidden"
        )
        score = keras.layers.Dense(1, **weights, dtype=precise, name="score")

        # === Functional model ===
        def join(question: Any, answer: Any, _: Any) -> Any:
            u, v = drop_pair(question), drop_pair(answer)
            x = features([u, v, ops.abs(u - v), u * v])
            return score(drop_hidden(hidden(x)))

        # The base class looks up the words and connects encoders and head.
        given = SimpleNamespace(**vars(self.arguments), bidirectional=True)
        super().__init__(lstm_encoder(given), join)

        # === Config ===
        self.activation = keras.activations.get(activation)
