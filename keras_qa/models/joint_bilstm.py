"""A stacked BiLSTM that reads question and answer as one text."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.joined_texts import JoinedTexts
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import bidirectional_lstm
from keras_qa.models.word_model import WordModel
from keras_qa.text.sides import SIDES


@keras.saving.register_keras_serializable(package="keras_qa")
class JointBiLSTM(WordModel):
    """The stacked BiLSTM of Wang and Nyberg.

    1. The words of the question, a separator and the words of the answer are
       one sequence (`JoinedTexts`).
    2. Bidirectional LSTMs read it, each the states of both directions of the
       one below.
    3. At each position t, a linear layer gives an output, and the score is
       their mean over the positions:

        y_t = w · h_t + b,    score = (y_1 + ... + y_T) / T

    The paper's second part is no part of the model: boosted trees over its
    score and BM25 (`BoostedRanker`).

    With m = `embedding_dim` and d = `units`, the model has 8d(m + d + 1)
    parameters in the first LSTM and 8d(3d + 1) in each other one, m of the
    separator and 2d + 1 of the linear layer: 15,213,301 at the defaults,
    without the embedding.

    Id 0 is padding and changes nothing. Texts may have any length, also none.
    No text has a vector without the other. Under mixed precision, LSTMs are
    computed in half precision.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        units: size of the state of each LSTM in each direction.
        depth: number of bidirectional LSTMs, one upon the other.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding.
        dropout: share of the entries of the mean state dropped in training.
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
        >>> model = JointBiLSTM(vocabulary_size=100, units=10)
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Wang and Nyberg, 2015, "A Long Short-Term Memory Model for Answer
    Sentence Selection in Question Answering". The paper is not at hand: no
    section or equation is cited.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 500,
        *,
        depth: int = 3,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(units=units, depth=depth)
        policy = full_policy(dtype)
        # Means and scores stay in float32 under mixed precision.
        precise = policy.variable_dtype

        # === Layers ===
        embedding = word_vectors(self.arguments)
        join = JoinedTexts(
            **l2_regularizers(l2, "separator"), dtype=policy, name="joined"
        )
        lstms = [
            bidirectional_lstm(units, l2, policy, name=f"bilstm_{i}")
            for i in range(1, depth + 1)
        ]
        mean = BagOfWords("mean", dtype=precise, name="mean")
        drop = keras.layers.Dropout(dropout, dtype=precise, name="dropout")
        # The mean of linear outputs is the output of the mean state.
        score = keras.layers.Dense(
            1,
            **l2_regularizers(l2, "kernel", "bias"),
            dtype=precise,
            name="score",
        )

        # === Functional model ===
        texts = text_inputs()
        x = join([embedding(texts[side]) for side in SIDES])
        for lstm in lstms:
            x = lstm(x)
        super().__init__(texts, score(drop(mean(x))))

        # === Config ===
        self.embedding = embedding
