"""The base of rankers that encode two texts and join the vectors."""

from collections.abc import Callable
from typing import Any

import keras

from keras_qa.arguments import check_not_negative
from keras_qa.layers.feature_standardization import FeatureStandardization
from keras_qa.models.building import full_policy
from keras_qa.models.building import text_inputs
from keras_qa.models.building import vector_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.word_model import OverlapModel
from keras_qa.text.sides import SIDES


class SiameseRanker(OverlapModel):
    """The base of the models of this folder: all but encoder and head.

    It reads the other arguments of its subclasses from `self.arguments`, and
    consists of three models. The score of a pair is

        head({"question": question_encoder(question),
              "answer": answer_encoder(answer)})

    Args:
        make_encoder: function that creates the layers of an encoder: it
            returns a function from word ids `(batch_size, length)` and their
            vectors, with a mask, to the text's vector. It is called once, or
            twice if the argument `shared_encoder` is False.
        join: function from the vectors of question and answer, and the
            standardised overlap features, None without any, to the score
            `(batch_size, 1)`.
    """

    def __init__(
        self,
        make_encoder: Callable[[], Callable[[Any, Any], Any]],
        join: Callable[[Any, Any, Any], Any],
    ):
        given = self.arguments
        policy = full_policy(given.dtype)
        # Vectors and features stay in float32 under mixed precision.
        precise = policy.variable_dtype
        overlap_features = getattr(given, "overlap_features", 0)
        check_not_negative(overlap_features=overlap_features)

        # === Layers ===
        embedding = word_vectors(given)
        standardize = FeatureStandardization(
            dtype=precise, name="overlap_normalization"
        )

        # === Functional model ===
        def encoder(name: str) -> keras.Model:
            ids = keras.Input((None,), dtype="int32", name="words")
            vector = make_encoder()(ids, embedding(ids))
            return keras.Model(ids, vector, name=name)

        if given.shared_encoder:
            encoders = dict.fromkeys(SIDES, encoder("text_encoder"))
        else:
            encoders = {side: encoder(f"{side}_encoder") for side in SIDES}
        vectors = vector_inputs(encoders["question"].output.shape[1], precise)
        features = {}
        standardized = None
        if overlap_features:
            features["overlap"] = keras.Input(
                (overlap_features,), dtype=precise, name="overlap"
            )
            standardized = standardize(features["overlap"])
        head = keras.Model(
            {**vectors, **features},
            join(vectors["question"], vectors["answer"], standardized),
            name="head",
        )
        texts = text_inputs()
        encoded = {side: encoders[side](ids) for side, ids in texts.items()}
        super().__init__({**texts, **features}, head({**encoded, **features}))

        # === Config ===
        self.embedding = embedding
        self.question_encoder = encoders["question"]
        self.answer_encoder = encoders["answer"]
        self.head = head
        self.overlap_normalization = standardize if overlap_features else None
