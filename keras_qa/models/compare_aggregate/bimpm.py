"""BiMPM: both texts matched with each other from many perspectives."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive_or_none
from keras_qa.layers.head_tail import HeadTail
from keras_qa.layers.multi_perspective_matching import STRATEGIES
from keras_qa.layers.multi_perspective_matching import MultiPerspectiveMatching
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.configured import keeps_arguments
from keras_qa.models.encoders import bidirectional_lstm
from keras_qa.models.word_model import WordModel


@keras.saving.register_keras_serializable(package="keras_qa")
class BiMPM(WordModel):
    """Scores a pair by matching each text with the other, state by state.

    1. Word representation: the word vectors. The paper's second part, vectors
       that an LSTM composes of a word's characters, is left out.
    2. Context representation: one bidirectional LSTM reads both texts.
    3. Matching: `MultiPerspectiveMatching` matches each state of the question
       with the answer, and each state of the answer with the question.
    4. Aggregation: a second bidirectional LSTM reads each sequence of matching
       vectors; the last states of both directions and both texts are joined.
    5. Prediction: a tanh layer, and a score that is linear in its units. The
       paper's softmax of two classes is equal to one logit, which is the
       difference of theirs.

    With d = `embedding_dim`, h = `units`, l = `perspectives`, s strategies and
    m = `hidden_units`, the model has 8h (d + h + 1) + 2slh + 8h (2sl + h + 1) +
    4hm + 2m + 1 parameters without the embedding: 626,001 at the defaults.

    Id 0 is padding and changes nothing. Texts may have any length. Under mixed
    precision matching, hidden layer and score are float32.

    Args:
        vocabulary_size: number of word ids, with padding (0) and the unknown
            word (1).
        embedding_dim: size of the word vectors.
        units: size of the state of both LSTMs in each direction.
        perspectives: number of cosines of each strategy (the paper's l).
        strategies: different ones of `"full"`, `"max_pooling"`, `"attentive"`
            and `"max_attentive"`, see `MultiPerspectiveMatching`.
        shared_matching: whether both directions of matching share the weights:
            the paper prints those of one; its released code has two sets.
        hidden_units: size of the hidden layer; None for 2 `units`, half the
            size of its inputs, as in the released code.
        embeddings: array `(vocabulary_size, embedding_dim)` to start the
            embedding with; uniform in (-.25, .25) without it. It is not part
            of the configuration but a weight, which is saved.
        trainable_embeddings: whether training changes the embedding. In the
            paper it is fixed.
        dropout: share of the outputs of all layers dropped in training.
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
        >>> model = BiMPM(vocabulary_size=100, strategies=["full"])
        >>> pair = {"question": np.array([[5, 7]]), "answer": np.array([[9]])}
        >>> model(pair).shape
        (1, 1)

    Reference: Wang et al., 2017, "Bilateral Multi-Perspective Matching for
    Natural Language Sentences", sections 3.1 (the five layers) and 3.2 (the
    matching). The numbers of its equations are not at hand.
    """

    @keeps_arguments
    def __init__(
        self,
        vocabulary_size: int,
        embedding_dim: int = 300,
        units: int = 100,
        *,
        perspectives: int = 20,
        strategies: Sequence[str] = STRATEGIES,
        shared_matching: bool = True,
        hidden_units: int | None = None,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        dropout: float = 0.1,
        l2: float = 0.0,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
    ):
        check_positive_or_none(hidden_units=hidden_units)
        policy = full_policy(dtype)
        # Matching and score stay in float32 under mixed precision.
        precise = policy.variable_dtype
        weights = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        embedding = word_vectors(self.arguments)
        drop_words, drop_states = (
            keras.layers.Dropout(dropout, dtype=policy, name=name)
            for name in ("word_dropout", "state_dropout")
        )
        drop_matches, drop_pair, drop_hidden = (
            keras.layers.Dropout(dropout, dtype=precise, name=name)
            for name in ("match_dropout", "pair_dropout", "hidden_dropout")
        )
        context = bidirectional_lstm(units, l2, policy, name="context")
        matchings = [
            MultiPerspectiveMatching(
                perspectives,
                strategies,
                **l2_regularizers(l2, "kernel"),
                dtype=precise,
                name=name,
            )
            for name in ("matching", "answer_matching")[: 2 - shared_matching]
        ]
        aggregate = bidirectional_lstm(units, l2, policy, name="aggregation")
        ends = HeadTail(dtype=precise, name="ends")
        pair = keras.layers.Concatenate(dtype=precise, name="pair")
        hidden = keras.layers.Dense(
            hidden_units or 2 * units,
            "tanh",
            **weights,
            dtype=precise,
            name="hidden",
        )
        score = keras.layers.Dense(1, **weights, dtype=precise, name="score")

        # === Functional model ===
        texts = text_inputs()
        question, answer = (
            drop_states(context(drop_words(embedding(ids))))
            for ids in texts.values()
        )
        matches = [
            matchings[0]([question, answer]),
            matchings[-1]([answer, question]),
        ]
        vectors = [ends(aggregate(drop_matches(x))) for x in matches]
        joined = drop_pair(pair(vectors))
        super().__init__(texts, score(drop_hidden(hidden(joined))))

        # === Config ===
        self.embedding = embedding
        self.strategies = matchings[0].strategies
