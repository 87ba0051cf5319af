"""Rankers that encode two texts and compare the two vectors."""

from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.layers.cosine_similarity import CosineSimilarity
from keras_qa.layers.gesd import GESD
from keras_qa.models.building import check_positive
from keras_qa.models.building import count_parameters
from keras_qa.models.building import full_policy
from keras_qa.models.building import keep_own
from keras_qa.models.building import own_config
from keras_qa.models.building import word_embedding

SIMILARITIES = {"cosine": CosineSimilarity, "gesd": GESD}


def similarity_layer(similarity: Any, dtype: Any) -> keras.layers.Layer:
    """The layer from `[question, answer]` vectors to their similarity.

    Args:
        similarity: `"cosine"`, `"gesd"`, a layer, or a layer's serialised
            form.
        dtype: dtype of the layers that have a name.

    Returns:
        A layer whose output is `(batch_size, 1)`.

    Raises:
        ValueError: if the name is unknown.
    """
    if isinstance(similarity, keras.layers.Layer):
        return similarity
    if isinstance(similarity, dict):
        return keras.saving.deserialize_keras_object(similarity)
    if similarity not in SIMILARITIES:
        raise ValueError(
            f"`similarity` must be one of {tuple(SIMILARITIES)} or a layer. "
            f"Received: similarity={similarity!r}"
        )
    return SIMILARITIES[similarity](dtype=dtype, name=similarity)


class EncodedTextRanker(keras.Model):
    """What the models of Tan et al. share: words, encoders and a similarity.

    Three models make it up, and the score of a pair is

        head({"question": question_encoder(question),
              "answer": answer_encoder(answer)})

    so that a text of many pairs is encoded once. Nothing that
    `answer_encoder` gives depends on the question.

    Args:
        own: the arguments that a subclass has beside those of this class;
            they become attributes, and part of the configuration.
        encode_question: from word vectors `(batch_size, length,
            embedding_dim)`, with their mask, to the question's vector.
        encode_answer: from an answer's word vectors and mask to a dict of
            tensors, to which `"mask"` is added; `None` encodes answers as
            questions.
        attend: from a question's vector and an answer's dict to the answer's
            vector; `None` if answers are encoded as questions.
        **kwargs: the arguments that `QALSTM` documents.
    """

    def __init__(
        self,
        own: Mapping[str, Any],
        encode_question: Callable[[Any], Any],
        encode_answer: Callable[[Any, Any], dict[str, Any]] | None = None,
        attend: Callable[[Any, dict[str, Any]], Any] | None = None,
        *,
        vocabulary_size: int,
        embedding_dim: int,
        similarity: Any = "cosine",
        dropout: float = 0.0,
        embeddings: np.ndarray | None = None,
        trainable_embeddings: bool = True,
        l2: float = 0.0,
        dtype: Any = None,
        **kwargs: Any,
    ):
        check_positive(
            vocabulary_size=vocabulary_size, embedding_dim=embedding_dim
        )
        policy = full_policy(dtype)
        # Vectors and similarity stay in float32 under mixed precision.
        precise = policy.variable_dtype

        # === Layers ===
        embedding = word_embedding(
            vocabulary_size,
            embedding_dim,
            embeddings,
            trainable_embeddings,
            l2,
            dtype=policy,
        )
        drop = keras.layers.Dropout(dropout, dtype=precise, name="dropout")
        compare = similarity_layer(similarity, precise)

        # === Functional model ===
        ids = keras.Input((None,), dtype="int32", name="words")
        question_encoder = keras.Model(
            ids, encode_question(embedding(ids)), name="question_encoder"
        )
        answer_encoder = question_encoder
        if encode_answer is not None:
            mask = ops.not_equal(ids, 0)
            parts = {**encode_answer(embedding(ids), mask), "mask": mask}
            # In the order of their names, in which Keras returns them: with
            # PyTorch the head takes parts of parts by position.
            answer_encoder = keras.Model(
                ids,
                {name: parts[name] for name in sorted(parts)},
                name="answer_encoder",
            )

        encoded = {
            "question": _inputs(question_encoder.output, "question"),
            "answer": _inputs(answer_encoder.output, "answer"),
        }
        pair = [encoded["question"], encoded["answer"]]
        if attend is not None:
            pair[1] = attend(*pair)
        head = keras.Model(
            encoded, compare([drop(vector) for vector in pair]), name="head"
        )

        texts = {
            side: keras.Input((None,), dtype="int32", name=side)
            for side in ("question", "answer")
        }
        super().__init__(
            inputs=texts,
            outputs=head(
                {
                    "question": question_encoder(texts["question"]),
                    "answer": answer_encoder(texts["answer"]),
                }
            ),
            **kwargs,
        )

        # === Config ===
        self.vocabulary_size = vocabulary_size
        self.embedding_dim = embedding_dim
        self.trainable_embeddings = trainable_embeddings
        self.dropout = dropout
        self.l2 = l2
        self.policy = policy
        self.embedding = embedding
        self.similarity = compare
        self.question_encoder = question_encoder
        self.answer_encoder = answer_encoder
        self.head = head
        self._named = isinstance(similarity, str)
        keep_own(self, own)

    @property
    def core_parameters(self) -> int:
        """Number of trainable parameters without the embedding."""
        return count_parameters(self, self.embedding)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without the embedding matrix.

        A saved model finds the matrix among its weights.
        """
        similarity = self.similarity.name
        if not self._named:
            similarity = keras.saving.serialize_keras_object(self.similarity)
            # The model builds it, for its vectors.
            similarity.pop("build_config", None)
        return {
            "name": self.name,
            "trainable": self.trainable,
            "vocabulary_size": self.vocabulary_size,
            "embedding_dim": self.embedding_dim,
            "similarity": similarity,
            "trainable_embeddings": self.trainable_embeddings,
            "dropout": self.dropout,
            "l2": self.l2,
            "dtype": keras.dtype_policies.serialize(self.policy),
            **own_config(self),
        }


def _inputs(outputs: Any, name: str) -> Any:
    """Inputs of the shapes and dtypes of a model's outputs."""
    if isinstance(outputs, dict):
        return {key: _inputs(x, key) for key, x in outputs.items()}
    return keras.Input(outputs.shape[1:], dtype=outputs.dtype, name=name)
