"""RNN-POA: attention to words of the answer near words of the question."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.arguments import check_positive_or_none
from keras_qa.layers.position_influence import PositionInfluence
from keras_qa.layers.softmax_pooling import SoftmaxPooling
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import bidirectional_lstm
from keras_qa.models.word_model import WordModel

SMALLEST_DISTANCE = 0.01
"""Smaller distances count as this one: the score of distance 0 is infinite."""


@keras.saving.register_keras_serializable(package="keras_qa")
class RNNPOA(WordModel):
    """RNN-POA, the positional attention based recurrent network.

    1. One bidirectional LSTM reads both texts.
    2. The question's states h_i are averaged with weights of their own:
       e_i = u . tanh(W h_i + b).
    3. `PositionInfluence` gives each position of the answer a vector p_j of how
       near it is to words of the question, and the answer's states are
       averaged with weights that depend on it:
       e_j = v . tanh(W_H h_j + W_P p_j + b_a).
    4. The two means r_q and r_a are compared by their Manhattan distance, and
       exp(-|r_q - r_a|) is the probability that the answer is right.

    The score is the log-odds of this probability, which orders answers alike:
    with the distance d, log(exp(-d) / (1 - exp(-d))). Distances below 0.01
    count as 0.01, since the log-odds of 0 are infinite.

    With m = `embedding_dim`, d = `units`, a = `attention_units` and p =
    `influence_units`, the model has 8(md + d^2 + d) + 2(2da + 2a) + pa
    parameters without the embedding: 85,800 at the defaults.

    Id 0 is padding and changes nothing. Texts may have any length; the mean of
    a text without words is 0. Under mixed precision the LSTM and the inner
    layers of both attentions are computed in half precision.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        units: size of the LSTM's state in each direction.
        influence_units: size of the vectors p_j.
        attention_units: size of the inner layers of both attentions; by
            default that of the states, 2 `units`.
        sigma: width of the kernel in words.
        noise: deviation of the noise in the vectors p_j.
        max_distance: the largest distance at which a word has an influence.
            Here it bounds the matrix of the noise; the paper has texts of one
            length.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding.
        dropout: share of the LSTM's inputs dropped in training.
        l2: strength of the L2 regularisation of all trainable parameters.
        dtype: dtype policy; the global one by default.
        name: name of the model.
        trainable: whether the model is trainable.

    Call arguments:
        inputs: dict of int tensors `"question"` `(batch_size,
            question_length)` and `"answer"` `(batch_size, answer_length)`.

    Output:
        Float tensor `(batch_size, 1)`, higher is better: the log-odds that the
        answer is right.

    Raises:
        ValueError: if an argument is out of range, or `embeddings` has
            another shape or values that are not finite.

    Example:
        >>> model = RNNPOA(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Chen et al., 2017, "Enhancing Recurrent Neural Networks with
    Positional Attention for Question Answering". The paper is not at hand: the
    equations and sizes are those of public re-implementations.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 100,
        units: int = 50,
        *,
        influence_units: int = 50,
        attention_units: int | None = None,
        sigma: float = 25.0,
        noise: float = 0.1,
        max_distance: int = 100,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive_or_none(attention_units=attention_units)
        policy = full_policy(dtype)
        # Means and score stay in float32 under mixed precision.
        precise = policy.variable_dtype

        # === Layers ===
        embedding = word_vectors(self.arguments)
        drop = keras.layers.Dropout(dropout, dtype=policy, name="word_dropout")
        encoder = bidirectional_lstm(units, l2, policy)
        influence = PositionInfluence(
            influence_units,
            sigma,
            noise,
            max_distance,
            dtype=precise,
            name="influence",
        )

        def dense(name: str, size: int, dtype: Any, bias: bool) -> Any:
            kinds = ("kernel", "bias") if bias else ("kernel",)
            return keras.layers.Dense(
                size,
                use_bias=bias,
                **l2_regularizers(l2, *kinds),
                dtype=dtype,
                name=name,
            )

        size = attention_units or 2 * units
        of_states = {
            side: dense(f"{side}_states", size, policy, True)
            for side in ("question", "answer")
        }
        of_influence = dense("influence_states", size, policy, False)
        weighing = {
            side: dense(f"{side}_scores", 1, precise, False)
            for side in ("question", "answer")
        }
        pool = SoftmaxPooling(dtype=precise, name="mean")

        # === Functional model ===
        texts = text_inputs()
        means = {}
        for side, ids in texts.items():
            states = encoder(drop(embedding(ids)))
            inner = of_states[side](states)
            if side == "answer":
                inner = inner + of_influence(influence(list(texts.values())))
            scores = weighing[side](ops.tanh(inner))
            means[side] = pool([states, ops.squeeze(scores, -1)])
        differences = ops.abs(means["question"] - means["answer"])
        distance = ops.sum(differences, axis=-1, keepdims=True)
        distance = ops.maximum(distance, SMALLEST_DISTANCE)
        score = -distance - ops.log(1 - ops.exp(-distance))
        super().__init__(texts, score)

        # === Config ===
        self.embedding = embedding
        self.influence = influence
