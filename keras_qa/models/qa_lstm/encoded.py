"""The base of rankers that encode two texts and compare the vectors."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_choice
from keras_qa.layers.cosine_similarity import CosineSimilarity
from keras_qa.layers.gesd import GESD
from keras_qa.models.building import full_policy
from keras_qa.models.building import text_inputs
from keras_qa.models.building import word_vectors
from keras_qa.models.word_model import WordModel

SIMILARITIES = {"cosine": CosineSimilarity, "gesd": GESD}


def similarity_layer(similarity: Any, dtype: Any) -> keras.layers.Layer:
    """Returns the layer from `[question, answer]` vectors to a similarity.

    Args:
        similarity: `"cosine"`, `"gesd"`, a layer, or a serialised layer.
        dtype: dtype of a layer given by its name.

    Returns:
        A layer whose output is `(batch_size, 1)`.

    Raises:
        ValueError: if the name is unknown.
    """
    if isinstance(similarity, keras.layers.Layer):
        return similarity
    if isinstance(similarity, dict):
        return keras.saving.deserialize_keras_object(similarity)
    check_choice(
        "similarity", similarity, tuple(SIMILARITIES), note=" or a layer"
    )
    return SIMILARITIES[similarity](dtype=dtype, name=similarity)


class EncodedTextRanker(WordModel):
    """The base of the models of Tan et al.: all but the encoders.

    It reads the other arguments of its subclasses from `self.arguments`. It
    consists of three models, and the score of a pair is

        head({"question": question_encoder(question),
              "answer": answer_encoder(answer)})

    The output of `answer_encoder` does not depend on the question, so that a
    text of many pairs is encoded once.

    Args:
        encode_question: function from word vectors `(batch_size, length,
            embedding_dim)`, with their mask, to the question's vector.
        encode_answer: function from an answer's word vectors and mask to a
            dict of tensors, to which `"mask"` is added; `None` encodes answers
            as questions.
        attend: function from a question's vector and an answer's dict to the
            answer's vector; `None` if answers are encoded as questions.
    """

    not_kept = ("embeddings", "similarity")

    def __init__(
        self,
        encode_question: Callable[[Any], Any],
        encode_answer: Callable[[Any, Any], dict[str, Any]] | None = None,
        attend: Callable[[Any, dict[str, Any]], Any] | None = None,
    ):
        given = self.arguments
        policy = full_policy(given.dtype)
        # Vectors and similarity stay in float32 under mixed precision.
        precise = policy.variable_dtype

        # === Layers ===
        embedding = word_vectors(given)
        drop = keras.layers.Dropout(
            given.dropout, dtype=precise, name="dropout"
        )
        compare = similarity_layer(given.similarity, precise)

        # === Functional model ===
        ids = keras.Input((None,), dtype="int32", name="words")
        question_encoder = keras.Model(
            ids, encode_question(embedding(ids)), name="question_encoder"
        )
        answer_encoder = question_encoder
        if encode_answer is not None:
            mask = ops.not_equal(ids, 0)
            parts = {**encode_answer(embedding(ids), mask), "mask": mask}
            # Sorted by name, the order in which Keras returns them: on PyTorch
            # the head takes nested inputs by position.
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

        texts = text_inputs()
        read = {
            "question": question_encoder(texts["question"]),
            "answer": answer_encoder(texts["answer"]),
        }
        super().__init__(texts, head(read))

        # === Config ===
        self.embedding = embedding
        self.similarity = compare
        self.question_encoder = question_encoder
        self.answer_encoder = answer_encoder
        self.head = head
        # What a subclass computes of it is no second reading of the texts.
        self._read = read
        self._named = isinstance(given.similarity, str)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, without the embedding matrix."""
        similarity = self.similarity.name
        if not self._named:
            similarity = keras.saving.serialize_keras_object(self.similarity)
            # The constructor of the model builds the layer.
            similarity.pop("build_config", None)
        return {**super().get_config(), "similarity": similarity}


def _inputs(outputs: Any, name: str) -> Any:
    """Creates inputs with the shapes and dtypes of a model's outputs."""
    if isinstance(outputs, dict):
        return {key: _inputs(x, key) for key, x in outputs.items()}
    return keras.Input(outputs.shape[1:], dtype=outputs.dtype, name=name)
