"""The common parts of CTRN and its baselines: all but the encoder."""

from types import SimpleNamespace
from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_not_negative
from keras_qa.arguments import check_positive
from keras_qa.layers.feature_standardization import FeatureStandardization
from keras_qa.models.building import count_parameters
from keras_qa.models.building import full_policy
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import vector_inputs
from keras_qa.models.building import word_embedding
from keras_qa.models.configured import ConfiguredModel
from keras_qa.models.encoders import word_projection
from keras_qa.text.sides import SIDES


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
        self.embedding = word_embedding(
            given.vocabulary_size,
            given.embedding_dim,
            given.embeddings,
            given.trainable_embeddings,
            given.l2,
            dtype=policy,
        )
        self.projection = word_projection(
            given.projection_dim, given.l2, policy
        )
        self.dropout = keras.layers.Dropout(
            given.word_dropout, dtype=policy, name="word_dropout"
        )

    def __call__(self, ids: Any) -> Any:
        """Returns masked vectors `(batch_size, length, projection_dim)`."""
        return self.dropout(self.projection(self.embedding(ids)))


def dense_head(given: SimpleNamespace) -> keras.Model:
    """Creates the model that scores the vectors of two texts.

    Args:
        given: the arguments of a model, as `CTRN` has them.

    Returns:
        A model with the name `"head"` from a dict of `"question"` and
        `"answer"` `(batch_size, units)`, and of `"overlap"` `(batch_size,
        overlap_features)` if there are overlap features, to scores
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
    if given.overlap_features:
        inputs["overlap"] = keras.Input(
            (given.overlap_features,), dtype=precise, name="overlap"
        )
        standardize = FeatureStandardization(
            dtype=precise, name="overlap_normalization"
        )
        x = keras.layers.Concatenate(dtype=precise, name="join")(
            [x, standardize(inputs["overlap"])]
        )
    for layer, drop in zip(hidden, dropouts[1:], strict=True):
        x = drop(layer(x))
    logits = softmax(x)
    return keras.Model(inputs, logits[:, 1:] - logits[:, :1], name="head")


class PointwiseRanker(ConfiguredModel):
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
        features = {
            name: x for name, x in head.input.items() if name not in texts
        }
        super().__init__(
            {**texts, **features},
            head({**dict(zip(texts, vectors, strict=True)), **features}),
        )
        self.activation = keras.activations.get(given.activation)
        self.embedding = words.embedding
        self.projection = words.projection
        self.encoder = encoder
        self.overlap_normalization = layers.get("overlap_normalization")
        self.softmax = layers["softmax"]
        self.head = head

    @property
    def core_parameters(self) -> int:
        """Number of trainable parameters, counted as in the paper's Table 2.

        Embedding, projection and softmax layer are left out. Each overlap
        feature adds `hidden_units`, each hidden layer after the first
        `hidden_units * (hidden_units + 1)`.
        """
        return count_parameters(
            self, self.embedding, self.projection, self.softmax
        )

    def adapt_overlap(self, features: np.ndarray) -> None:
        """Sets mean and deviation of the overlap features.

        Args:
            features: float array `(pairs, overlap_features)`, the features of
                the training data.

        Raises:
            ValueError: if the model has no overlap features, or the array has
                another shape or values that are not finite.
        """
        if self.overlap_normalization is None:
            raise ValueError(
                "`overlap_features` must be positive, for the model to take "
                "features. Received: "
                f"overlap_features={self.overlap_features!r}"
            )
        self.overlap_normalization.adapt(features)
