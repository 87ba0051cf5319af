"""MV-LSTM: the strongest interactions of the states of two texts."""

from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.layers.k_max_interactions import KMaxInteractions
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import bidirectional_lstm
from keras_qa.models.word_model import WordModel


@keras.saving.register_keras_serializable(package="keras_qa")
class MVLSTM(WordModel):
    """Scores a pair by the largest similarities of their LSTM states.

    1. One bidirectional LSTM computes a representation of each text at each
       of its positions.
    2. `KMaxInteractions` compares all positions of the question with all of
       the answer and keeps the `k` largest values of each grid.
    3. A hidden layer of rectified units reads these values, and the score is
       linear in its units.

    Id 0 is padding and changes nothing. Texts may have any length; values that
    short texts lack are 0. Under mixed precision interactions, hidden layer
    and score are float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        units: size of the LSTM's state in each direction.
        similarity: `"cosine"`, `"bilinear"` or `"tensor"`, the best of the
            paper's three, see `KMaxInteractions`.
        k: number of values kept of each grid.
        channels: number of grids of `"tensor"`; the others have one. Chosen
            here.
        hidden_units: size of the hidden layer. Chosen here.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. The
            paper initialises it with word2vec and does not call it fixed.
        dropout: share of the LSTM's inputs and outputs dropped in training.
            The paper has none.
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
        >>> model = MVLSTM(vocabulary_size=100, similarity="cosine")
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Wan et al., 2016, "A Deep Architecture for Semantic Matching
    with Multiple Positional Sentence Representations", its sections on the
    positional sentence representation (step 1), the interactions between two
    sentences (step 2) and their aggregation (step 3). The paper is not at hand:
    no numbers of equations are cited.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 50,
        units: int = 50,
        *,
        similarity: str = "tensor",
        k: int = 5,
        channels: int = 4,
        hidden_units: int = 50,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        dropout: float = 0.0,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive(hidden_units=hidden_units)
        policy = full_policy(dtype)
        # Interactions and score stay in float32 under mixed precision.
        precise = policy.variable_dtype
        regularizers = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        embedding = word_vectors(self.arguments)
        drop_words, drop_states = (
            keras.layers.Dropout(dropout, dtype=policy, name=name)
            for name in ("word_dropout", "state_dropout")
        )
        encoder = bidirectional_lstm(units, l2, policy)
        interactions = KMaxInteractions(
            k,
            similarity,
            channels,
            **regularizers,
            dtype=precise,
            name="interactions",
        )
        hidden = keras.layers.Dense(
            hidden_units, "relu", **regularizers, dtype=precise, name="hidden"
        )
        score = keras.layers.Dense(
            1, **regularizers, dtype=precise, name="score"
        )

        # === Functional model ===
        texts = text_inputs()
        states = [
            drop_states(encoder(drop_words(embedding(ids))))
            for ids in texts.values()
        ]
        super().__init__(texts, score(hidden(interactions(states))))

        # === Config ===
        self.embedding = embedding
        self.interactions = interactions
