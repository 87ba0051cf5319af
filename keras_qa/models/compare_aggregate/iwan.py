"""IWAN: aligned words, weighed by their importance for the other text."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.arguments import check_positive_or_none
from keras_qa.layers.answer_attention import AnswerAttention
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.orthogonal_decomposition import OrthogonalDecomposition
from keras_qa.layers.soft_alignment import SoftAlignment
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import bidirectional_lstm
from keras_qa.models.word_model import WordModel


@keras.saving.register_keras_serializable(package="keras_qa")
class IWAN(WordModel):
    """Scores a pair by what its words share, and do not, with the other text.

    1. One bidirectional LSTM computes the states of both texts.
    2. `SoftAlignment` of dot products gives, for each state of a text, a
       weighted mean of the other text's states.
    3. `OrthogonalDecomposition` splits each state into a part parallel to that
       mean, which the texts share, and an orthogonal one.
    4. Inter-attention weighs the words of a text by its states s_i and the mean
       t of the other text's states, with weights that both texts share:
       softmax over i of w . tanh(W [s_i; t]).
    5. The weighted sums of both parts of both texts are concatenated; a hidden
       layer of rectified units reads them, and the score is linear in it.

    Id 0 is padding and changes nothing. Texts may have any length; the sums of
    a text without words are 0. Under mixed precision parts, weights, sums,
    hidden layer and score are float32. Trained with
    `keras.losses.BinaryCrossentropy(from_logits=True)`, the score is the
    difference of the two logits of a softmax.

    With m = `embedding_dim`, u = `units`, k = `attention_units` and h =
    `hidden_units`, the model has 8u(m + u + 1) + 4uk + k + 8uh + 2h + 1
    parameters without the embedding: 841,701 at the defaults.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        units: size of the LSTM's state in each direction. Chosen here.
        attention_units: size of what inter-attention compares, rows of W; by
            default that of the states, 2 `units`. Chosen here.
        hidden_units: size of the hidden layer. Chosen here.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. Chosen
            here.
        dropout: share of the LSTM's inputs and of the sums dropped in
            training. Chosen here.
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
        >>> model = IWAN(vocabulary_size=100)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Shen, Yang and Deng, 2017, "Inter-Weighted Alignment Network for
    Sentence Pair Modeling", its model with inter-attention. The paper is not at
    hand: step 4 is that of a public version, and steps 3 and 5 are assumed.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 150,
        *,
        attention_units: int | None = None,
        hidden_units: int = 100,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(hidden_units=hidden_units)
        check_positive_or_none(attention_units=attention_units)
        policy = full_policy(dtype)
        # What follows the states stays in float32 under mixed precision.
        precise = policy.variable_dtype
        regularizers = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        embedding = word_vectors(self.arguments)
        drop_words = keras.layers.Dropout(
            dropout, dtype=policy, name="word_dropout"
        )
        drop_sums = keras.layers.Dropout(
            dropout, dtype=precise, name="sum_dropout"
        )
        encoder = bidirectional_lstm(units, l2, policy)
        align = SoftAlignment(dtype=precise, name="alignment")
        decompose = OrthogonalDecomposition(dtype=precise, name="parts")
        mean = BagOfWords("mean", dtype=precise, name="mean")
        # Its W_am and W_qm are the two halves of W.
        inter_attention = AnswerAttention(
            attention_units,
            **l2_regularizers(l2, "kernel"),
            dtype=precise,
            name="inter_attention",
        )
        weigh = keras.layers.Dot(1, dtype=precise, name="weighted_sum")
        join = keras.layers.Concatenate(dtype=precise, name="sums")
        hidden = keras.layers.Dense(
            hidden_units, "relu", **regularizers, dtype=precise, name="hidden"
        )
        score = keras.layers.Dense(
            1, **regularizers, dtype=precise, name="score"
        )

        # === Functional model ===
        texts = text_inputs()
        question, answer = (
            encoder(drop_words(embedding(ids))) for ids in texts.values()
        )
        sums = []
        for text, other in ((question, answer), (answer, question)):
            parts = decompose([text, align([text, other])])
            _, weights = inter_attention(
                [mean(other), text], return_attention_scores=True
            )
            sums += [weigh([weights, part]) for part in parts]
        super().__init__(texts, score(hidden(drop_sums(join(sums)))))

        # === Config ===
        self.embedding = embedding
