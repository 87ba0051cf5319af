"""What CTRN and its pointwise baselines share: all but the encoder."""

from collections.abc import Mapping
from typing import Any

import keras
import numpy as np

from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.feature_standardization import FeatureStandardization
from keras_qa.layers.max_over_time import MaxOverTime
from keras_qa.models.building import check_positive
from keras_qa.models.building import count_parameters
from keras_qa.models.building import full_policy
from keras_qa.models.building import keep_own
from keras_qa.models.building import l2_regularizers
from keras_qa.models.building import own_config
from keras_qa.models.building import word_embedding


class PointwiseRanker(keras.Model):
    """Words, an encoder, dense layers and a score.

    Args:
        sizes: `vocabulary_size`, `embedding_dim`, `projection_dim`, `units`.
        encoder: layer from a text's words to its hidden states, or to one
            vector if `pooling` is `"last"`; or from `[question, answer]` to
            both, where the two texts are encoded together.
        own: the arguments that a subclass has beside those of this class;
            they become attributes, and part of the configuration.
        pooling: how the hidden states become one vector, one of `poolings`.
        **kwargs: the arguments that `CTRN` documents.
    """

    encodes_pairs = False
    """Whether the encoder takes both texts at once."""

    poolings: tuple[str, ...] = ("mean",)
    """What `pooling` may be, of `"mean"`, `"max"` and `"last"`; an argument of
    the subclass if there is a choice."""

    def __init__(
        self,
        sizes: tuple[int, int, int, int],
        encoder: keras.layers.Layer,
        own: Mapping[str, Any],
        pooling: str = "mean",
        hidden_units: int = 128,
        hidden_layers: int = 1,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = False,
        activation: Any = "relu",
        dropout: float = 0.5,
        word_dropout: float = 0.0,
        l2: float = 4e-6,
        overlap_features: int = 0,
        question_length: int | None = None,
        answer_length: int | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        vocabulary_size, embedding_dim, projection_dim, units = sizes
        check_positive(
            vocabulary_size=vocabulary_size,
            embedding_dim=embedding_dim,
            projection_dim=projection_dim,
            units=units,
            hidden_units=hidden_units,
            hidden_layers=hidden_layers,
            question_length=1 if question_length is None else question_length,
            answer_length=1 if answer_length is None else answer_length,
        )
        if overlap_features < 0:
            raise ValueError(
                "`overlap_features` must not be negative. "
                f"Received: overlap_features={overlap_features}"
            )
        if pooling not in self.poolings:
            raise ValueError(
                f"`pooling` must be one of {self.poolings}. "
                f"Received: pooling={pooling!r}"
            )
        policy = full_policy(dtype)
        # Means, features and scores stay in float32 under mixed precision.
        precise = policy.variable_dtype
        dense_l2 = l2_regularizers(l2, "kernel", "bias")

        # === Layers ===
        embedding = word_embedding(
            vocabulary_size,
            embedding_dim,
            embeddings,
            trainable_embeddings,
            l2,
            dtype=policy,
        )
        projection = keras.layers.Dense(
            projection_dim,
            use_bias=False,
            **l2_regularizers(l2, "kernel"),
            dtype=policy,
            name="projection",
        )
        drop_words = keras.layers.Dropout(
            word_dropout, dtype=policy, name="word_dropout"
        )
        pool = {
            "mean": lambda: BagOfWords("mean", dtype=precise, name="mean"),
            "max": lambda: MaxOverTime(dtype=precise, name="max"),
            "last": lambda: keras.layers.Identity(dtype=precise, name="last"),
        }[pooling]()
        standardize = (
            FeatureStandardization(dtype=precise, name="overlap_normalization")
            if overlap_features
            else None
        )
        hidden = [
            keras.layers.Dense(
                hidden_units,
                activation=activation,
                **dense_l2,
                dtype=policy,
                name=f"hidden_{i}",
            )
            for i in range(hidden_layers)
        ]
        # One before each dense layer.
        dropouts = [
            keras.layers.Dropout(dropout, dtype=policy, name=f"dropout_{i}")
            for i in range(hidden_layers + 1)
        ]
        softmax = keras.layers.Dense(
            2, **dense_l2, dtype=precise, name="softmax"
        )

        # === Functional model ===
        vectors = {
            side: keras.Input((units,), dtype=precise, name=side)
            for side in ("question", "answer")
        }
        x = keras.layers.Concatenate(dtype=precise, name="pair")(
            [vectors["question"], vectors["answer"]]
        )
        x = dropouts[0](x)
        features = {}
        if standardize is not None:
            features["overlap"] = keras.Input(
                (overlap_features,), dtype=precise, name="overlap"
            )
            x = keras.layers.Concatenate(dtype=precise, name="join")(
                [x, standardize(features["overlap"])]
            )
        for layer, drop in zip(hidden, dropouts[1:], strict=True):
            x = drop(layer(x))
        logits = softmax(x)
        head = keras.Model(
            {**vectors, **features}, logits[:, 1:] - logits[:, :1], name="head"
        )

        texts = {
            side: keras.Input((length,), dtype="int32", name=side)
            for side, length in (
                ("question", question_length),
                ("answer", answer_length),
            )
        }

        def words(ids: Any) -> Any:
            return drop_words(projection(embedding(ids)))

        if self.encodes_pairs:
            text_encoder = None
            states = encoder([words(texts["question"]), words(texts["answer"])])
            pooled = [pool(sequence) for sequence in states]
        else:
            ids = keras.Input((None,), dtype="int32", name="words")
            text_encoder = keras.Model(
                ids, pool(encoder(words(ids))), name="text_encoder"
            )
            pooled = [text_encoder(texts[s]) for s in ("question", "answer")]
        super().__init__(
            inputs={**texts, **features},
            outputs=head(
                {"question": pooled[0], "answer": pooled[1], **features}
            ),
            **kwargs,
        )

        # === Config ===
        self.vocabulary_size = vocabulary_size
        self.embedding_dim = embedding_dim
        self.projection_dim = projection_dim
        self.units = units
        self.hidden_units = hidden_units
        self.hidden_layers = hidden_layers
        self.trainable_embeddings = trainable_embeddings
        self.activation = keras.activations.get(activation)
        self.pooling = pooling
        self.dropout = dropout
        self.word_dropout = word_dropout
        self.l2 = l2
        self.overlap_features = overlap_features
        self.question_length = question_length
        self.answer_length = answer_length
        self.policy = policy
        self.embedding = embedding
        self.projection = projection
        self.encoder = encoder
        self.overlap_normalization = standardize
        self.softmax = softmax
        self.head = head
        if text_encoder is not None:
            self.question_encoder = text_encoder
            self.answer_encoder = text_encoder
        keep_own(self, own)

    @property
    def core_parameters(self) -> int:
        """Number of trainable parameters as the paper's Table 2 counts them.

        Embedding, projection and softmax layer are left out. Each feature of
        overlap adds `hidden_units`, each hidden layer after the first
        `hidden_units * (hidden_units + 1)`.
        """
        return count_parameters(
            self, self.embedding, self.projection, self.softmax
        )

    def adapt_overlap(self, features: np.ndarray) -> None:
        """Learns mean and deviation of the features of overlap.

        Args:
            features: float array `(pairs, overlap_features)`, those of the
                training data.

        Raises:
            ValueError: if the model has no such features, or the array has
                another shape or values that are not finite.
        """
        if self.overlap_normalization is None:
            raise ValueError(
                "`overlap_features` must be positive, for the model to take "
                f"features. Received: overlap_features={self.overlap_features}"
            )
        self.overlap_normalization.adapt(features)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without the embedding matrix.

        A saved model finds the matrix among its weights.
        """
        own = own_config(self)
        if len(self.poolings) > 1:
            own["pooling"] = self.pooling
        return {
            "name": self.name,
            "trainable": self.trainable,
            "vocabulary_size": self.vocabulary_size,
            "embedding_dim": self.embedding_dim,
            "projection_dim": self.projection_dim,
            "units": self.units,
            "hidden_units": self.hidden_units,
            "hidden_layers": self.hidden_layers,
            "trainable_embeddings": self.trainable_embeddings,
            "activation": keras.activations.serialize(self.activation),
            "dropout": self.dropout,
            "word_dropout": self.word_dropout,
            "l2": self.l2,
            "overlap_features": self.overlap_features,
            "question_length": self.question_length,
            "answer_length": self.answer_length,
            "dtype": keras.dtype_policies.serialize(self.policy),
            **own,
        }
