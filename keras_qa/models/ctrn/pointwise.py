"""The common parts of CTRN and its baselines: all but the encoder."""

from types import SimpleNamespace
from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.arguments import check_not_negative
from keras_qa.arguments import check_positive
from keras_qa.layers.alignment_features import FEATURES
from keras_qa.layers.alignment_features import AlignmentFeatures
from keras_qa.layers.attentive_pooling import AttentivePooling
from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.feature_standardization import FeatureStandardization
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.models.building import count_parameters
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import vector_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.encoders import word_projection
from keras_qa.models.word_model import OverlapModel
from keras_qa.ranking.padded import predict_padded
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.sides import SIDES

NORMALIZATION_EPSILON = 1e-8
"""Added to the variance of a pooled vector, which is 4e-6 in a new `CTRN`."""


class ProjectedWords:
    """Layers from word ids to projected word vectors.

    Args:
        given: the arguments of a model, as `CTRN` has them.

    Raises:
        ValueError: if a size is not a positive integer, or `embeddings` has
            another shape or values that are not finite.
    """

    def __init__(self, given: SimpleNamespace):
        policy = full_policy(given.dtype)
        self.embedding = word_vectors(given)
        check_positive(projection_layers=given.projection_layers)
        self.projections = [
            word_projection(
                given.projection_dim,
                given.l2,
                policy,
                name=f"projection_{i}" if i else "projection",
            )
            for i in range(given.projection_layers)
        ]
        # A layer keeps the mask, which a function would lose.
        self.activation = keras.layers.Activation(
            given.activation, dtype=policy, name="projection_activation"
        )
        self.dropout = keras.layers.Dropout(
            given.word_dropout, dtype=policy, name="word_dropout"
        )

    def __call__(self, ids: Any) -> Any:
        """Returns masked vectors `(batch_size, length, projection_dim)`."""
        x = self.projections[0](self.embedding(ids))
        for projection in self.projections[1:]:
            # Without it, two linear layers would be one.
            x = projection(self.activation(x))
        return self.dropout(x)


class PooledStates:
    """Pools the hidden states of each text to a vector.

    Args:
        given: the arguments of a model, including those of `CTRN`.
        poolings: the allowed values of `pooling`, of `"mean"`, `"max"`,
            `"last"` and `"attentive"`.

    Attributes:
        of_pairs: True if the vector of a text depends on the other text.

    Raises:
        ValueError: if `pooling` is none of `poolings`.
    """

    def __init__(self, given: SimpleNamespace, poolings: tuple[str, ...]):
        check_choice("pooling", given.pooling, poolings)
        # Pooled states stay in float32 under mixed precision.
        precise = full_policy(given.dtype).variable_dtype
        self.of_pairs = given.pooling == "attentive"
        self.pool = {
            "mean": lambda: BagOfWords("mean", dtype=precise, name="mean"),
            "max": lambda: MaxOverTime(dtype=precise, name="max"),
            # The encoder gives no other state.
            "last": lambda: keras.layers.Identity(dtype=precise, name="last"),
            "attentive": lambda: AttentivePooling(
                **l2_regularizers(given.l2, "kernel"),
                dtype=full_policy(given.dtype),
                name="attentive_pooling",
            ),
        }[given.pooling]()
        self.normalization = (
            keras.layers.LayerNormalization(
                epsilon=NORMALIZATION_EPSILON,
                **l2_regularizers(given.l2, "beta", "gamma"),
                dtype=precise,
                name="pooled_normalization",
            )
            if given.pooled_normalization
            else keras.layers.Identity(dtype=precise, name="pooled")
        )

    def alone(self, states: Any) -> Any:
        """Returns a text's vector `(batch_size, units)`; not if `of_pairs`."""
        return self.normalization(self.pool(states))

    def __call__(self, states: list[Any]) -> list[Any]:
        """Returns the vectors `(batch_size, units)` of question and answer."""
        if self.of_pairs:
            return [self.normalization(x) for x in self.pool(states)]
        return [self.alone(x) for x in states]


def dense_head(given: SimpleNamespace) -> keras.Model:
    """Creates the model that scores the vectors of two texts.

    Args:
        given: the arguments of a model, as `CTRN` has them.

    Returns:
        A model with the name `"head"` from a dict of `"question"` and
        `"answer"` `(batch_size, units)`, of `"overlap"` `(batch_size,
        overlap_features)` if there are overlap features, and of `"aligned"`
        `(batch_size, 9)` if there are alignment features, to scores
        `(batch_size, 1)`.

    Raises:
        ValueError: if a size is out of range.
    """
    check_positive(
        hidden_units=given.hidden_units, hidden_layers=given.hidden_layers
    )
    check_not_negative(overlap_features=given.overlap_features)
    policy = full_policy(given.dtype)
    # Features and scores stay in float32 under mixed precision.
    precise = policy.variable_dtype
    l2 = l2_regularizers(given.l2, "kernel", "bias")
    hidden = [
        keras.layers.Dense(
            given.hidden_units,
            activation=given.activation,
            **l2,
            dtype=policy,
            name=f"hidden_{i}",
        )
        for i in range(given.hidden_layers)
    ]
    # One for the texts' vectors and one for each hidden layer's outputs.
    dropouts = [
        keras.layers.Dropout(given.dropout, dtype=policy, name=f"dropout_{i}")
        for i in range(given.hidden_layers + 1)
    ]
    softmax = keras.layers.Dense(2, **l2, dtype=precise, name="softmax")

    inputs = vector_inputs(given.units, precise)
    x = keras.layers.Concatenate(dtype=precise, name="pair")(
        [inputs[side] for side in SIDES]
    )
    x = dropouts[0](x)
    sizes = {
        "overlap": given.overlap_features,
        "aligned": len(FEATURES) if given.alignment_features else 0,
    }
    for name, size in sizes.items():
        if size:
            inputs[name] = keras.Input((size,), dtype=precise, name=name)
            standardize = FeatureStandardization(
                dtype=precise, name=f"{name}_normalization"
            )
            suffix = "" if name == "overlap" else f"_{name}"
            x = keras.layers.Concatenate(dtype=precise, name=f"join{suffix}")(
                [x, standardize(inputs[name])]
            )
    for layer, drop in zip(hidden, dropouts[1:], strict=True):
        x = drop(layer(x))
    logits = softmax(x)
    return keras.Model(inputs, logits[:, 1:] - logits[:, :1], name="head")


class PointwiseRanker(OverlapModel):
    """A model of word vectors, an encoder, and a head of dense layers.

    Args:
        texts: symbolic word ids of question and answer.
        vectors: symbolic vectors of question and answer.
        words: the layers that look up and project the words.
        encoder: the layer that encodes the projected words.
        head: the result of `dense_head`.
    """

    def __init__(
        self,
        texts: dict[str, Any],
        vectors: list[Any],
        words: ProjectedWords,
        encoder: keras.layers.Layer,
        head: keras.Model,
    ):
        given = self.arguments
        layers = {layer.name: layer for layer in head.layers}
        features, computed = {}, {}
        alignment = None
        if given.overlap_features:
            features["overlap"] = head.input["overlap"]
        if given.alignment_features:
            alignment = AlignmentFeatures(
                given.vocabulary_size,
                dtype=full_policy(given.dtype).variable_dtype,
                name="alignment_features",
            )
            ids = [texts[side] for side in SIDES]
            computed["aligned"] = alignment(
                [*ids, *(words.embedding(x) for x in ids)]
            )
        super().__init__(
            {**texts, **features},
            head(
                {
                    **dict(zip(texts, vectors, strict=True)),
                    **features,
                    **computed,
                }
            ),
        )
        self.activation = keras.activations.get(given.activation)
        self.embedding = words.embedding
        self.projection = words.projections[0]
        self.projections = words.projections
        self.encoder = encoder
        self.overlap_normalization = layers.get("overlap_normalization")
        self.softmax = layers["softmax"]
        self.head = head
        self.aligned = (
            None
            if alignment is None
            else keras.Model(texts, computed["aligned"], name="aligned")
        )

    @property
    def core_parameters(self) -> int:
        """Number of trainable parameters, counted as in the paper's Table 2.

        Embedding, projections and softmax layer are left out. Each overlap or
        alignment feature adds `hidden_units`, each hidden layer after the first
        `hidden_units * (hidden_units + 1)`, the normalisation `2 * units` and
        attentive pooling `units ** 2`.
        """
        return count_parameters(
            self, self.embedding, *self.projections, self.softmax
        )

    def adapt_alignment(
        self, texts: RaggedTexts, questions: np.ndarray, answers: np.ndarray
    ) -> None:
        """Learns the words' idf, and mean and deviation of the nine features.

        Args:
            texts: word ids of texts; the documents are those of them that the
                pairs contain.
            questions: indices of the questions of the training data's pairs.
            answers: indices of their answers.

        Raises:
            ValueError: if the model has no such features, or there is no pair.
        """
        if self.aligned is None:
            raise ValueError(
                "`alignment_features` must be True, for the model to have "
                "them. Received: alignment_features=False"
            )
        documents = np.unique(np.concatenate([questions, answers]))
        self.aligned.get_layer("alignment_features").adapt(
            [texts[i] for i in documents]
        )
        self.head.get_layer("aligned_normalization").adapt(
            predict_padded(self.aligned, texts, questions, answers)
        )
