"""The base of models that compare sums of projected words."""

from collections.abc import Mapping
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_positive
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.word_projection import WordProjection
from keras_qa.models.building import full_policy
from keras_qa.models.building import text_inputs
from keras_qa.models.building import vector_inputs
from keras_qa.models.building import word_embedding
from keras_qa.models.configured import ConfiguredModel
from keras_qa.text.sides import SIDES


class BagOfWordsRanker(ConfiguredModel):
    """The base of HyperQA, CosineQA and LogCosineQA: encoder and linear score.

    It reads the other arguments of all three from `self.arguments`.

    Args:
        to_space: layer from the sum of a text's words to the text's vector.
        similarity: layer from `[question, answer]` vectors to `(batch_size,
            1)`.
        initial_weight: initial weight of the similarity in the score.
        to_points: layer from a projected word to what is summed in its place;
            the sums then have no dropout.
    """

    def __init__(
        self,
        to_space: keras.layers.Layer,
        similarity: keras.layers.Layer,
        initial_weight: float,
        to_points: keras.layers.Layer | None = None,
    ):
        given = self.arguments
        check_positive(
            projection_dim=given.projection_dim,
            projection_layers=given.projection_layers,
        )
        policy = full_policy(given.dtype)
        # Sums, norms and scores stay in float32 under mixed precision.
        precise = policy.variable_dtype

        # === Layers ===
        embedding = word_embedding(
            given.vocabulary_size,
            given.embedding_dim,
            given.embeddings,
            given.trainable_embeddings,
            dtype=policy,
        )
        projection = WordProjection(
            given.projection_dim,
            num_layers=given.projection_layers,
            activation=given.activation,
            dropout=given.dropout,
            kernel_initializer=given.kernel_initializer,
            kernel_regularizer=keras.regularizers.L2(given.l2)
            if given.l2
            else None,
            kernel_constraint=given.kernel_constraint,
            dtype=policy,
            name="projection",
        )
        bag_of_words = BagOfWords(
            given.pooling, dtype=precise, name="bag_of_words"
        )
        sum_dropout = keras.layers.Dropout(
            # The coordinates of a sum of points belong together.
            0.0 if to_points else given.dropout,
            dtype=precise,
            name="sum_dropout",
        )
        score = keras.layers.Dense(
            1,
            kernel_initializer=keras.initializers.Constant(initial_weight),
            dtype=precise,
            name="score",
        )

        # === Functional model ===
        words = keras.Input((None,), dtype="int32", name="words")
        projected = projection(embedding(words))
        if to_points:
            projected = to_points(projected)
        text_encoder = keras.Model(
            words, bag_of_words(projected), name="text_encoder"
        )
        encoder = keras.Model(
            words, to_space(sum_dropout(text_encoder(words))), name="encoder"
        )

        vectors = vector_inputs(given.projection_dim, precise)
        pair = [vectors[side] for side in SIDES]
        scores = score(similarity(pair))
        if given.concatenate_embeddings:
            # Dense([similarity; q; a]) in two parts with different initial
            # weights.
            scores = scores + keras.layers.Dense(
                1,
                use_bias=False,
                kernel_initializer="zeros",
                dtype=precise,
                name="embeddings_score",
            )(keras.layers.Concatenate(dtype=precise)(pair))
        head = keras.Model(vectors, scores, name="head")

        texts = text_inputs()
        super().__init__(
            texts, head({side: encoder(ids) for side, ids in texts.items()})
        )

        # === Config ===
        self.activation = keras.activations.get(given.activation)
        self.kernel_initializer = projection.kernel_initializer
        self.kernel_constraint = projection.kernel_constraint
        self.embedding = embedding
        self.word_projection = projection
        self.to_points = to_points
        self.bag_of_words = bag_of_words
        self.to_space = to_space
        self.text_encoder = text_encoder
        self.question_encoder = encoder
        self.answer_encoder = encoder
        self.head = head

    @property
    def supports_packing(self) -> bool:
        """True if `score_packed` gives the scores of the model.

        With dropout it does not, because it would drop a word in all texts.
        """
        return not self.dropout

    def score_packed(self, batch: Mapping[str, Any]) -> Any:
        """Scores groups of answers, projecting each distinct word once.

        Args:
            batch: dict of tensors, the result of `keras_qa.text.packing.pack`.

        Returns:
            Float tensor `(batch_size, answers)`, the scores of each question
            with each of its answers.
        """
        words = self.word_projection(self.embedding(batch["words"]))
        if self.to_points:
            words = self.to_points(words)
        vectors = self.to_space(self.bag_of_words.pool_packed(words, batch))
        answers = ops.shape(batch["answers"])[1]
        question = ops.repeat(batch["question"], answers)
        scores = self.head(
            {
                "question": ops.take(vectors, question, axis=0),
                "answer": ops.take(
                    vectors, ops.reshape(batch["answers"], (-1,)), axis=0
                ),
            }
        )
        return ops.reshape(scores, (-1, answers))
