"""Models that match several vectors of a question with an answer."""

from collections.abc import Callable
from typing import Any

import keras

from keras_qa.layers.cosine_similarity import CosineSimilarity
from keras_qa.layers.sequential_attention import SequentialAttention
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.encoders import bidirectional_lstm
from keras_qa.models.word_model import WordModel


class QuestionVectorsLSTM(WordModel):
    """Sums the cosines of a question's vectors and of what each attends to.

    1. One bidirectional LSTM reads both texts.
    2. `vectors_of` takes the question's vectors o_k from its states.
    3. For each o_k, `SequentialAttention` averages the answer's states to a_k.
       All share its weights.
    4. The score is the sum of the cosines of o_k and a_k.

    It reads the other arguments of its subclasses from `self.arguments`.

    Args:
        vectors_of: takes the question's states `(batch_size, question_length,
            2 units)`, with their mask; returns its vectors, each
            `(batch_size, 2 units)`.
    """

    def __init__(self, vectors_of: Callable[[Any], list[Any]]):
        given = self.arguments
        policy = full_policy(given.dtype)

        # === Layers ===
        embedding = word_vectors(given)
        drop_words, drop_states = (
            keras.layers.Dropout(given.dropout, dtype=policy, name=name)
            for name in ("word_dropout", "state_dropout")
        )
        encoder = bidirectional_lstm(given.units, given.l2, policy)

        # === Functional model ===
        texts = text_inputs()
        question, answer = (
            drop_states(encoder(drop_words(embedding(ids))))
            for ids in texts.values()
        )
        vectors = vectors_of(question)
        attend = SequentialAttention(
            given.units,
            **l2_regularizers(given.l2, "kernel", "bias"),
            dtype=policy,
            name="sequential_attention",
        )
        # Cosines stay in float32 under mixed precision.
        cosine = CosineSimilarity(dtype=policy.variable_dtype, name="cosine")
        cosines = [cosine([o, attend([o, answer])]) for o in vectors]
        super().__init__(texts, sum(cosines))

        # === Config ===
        self.embedding = embedding
        self.sequential_attention = attend
