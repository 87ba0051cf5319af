"""Parts of all models: dtype policy, word vectors, L2 and inputs."""

from types import SimpleNamespace
from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.text.sides import SIDES


def full_policy(dtype: Any) -> keras.DTypePolicy:
    """Returns the policy of a `dtype` argument, the global one for None."""
    return keras.dtype_policies.get(dtype or keras.config.dtype_policy())


def check_embeddings(
    embeddings: np.ndarray | None, vocabulary_size: int, embedding_dim: int
) -> None:
    """Checks the shape of word vectors, and that they are finite.

    Raises:
        ValueError: if `embeddings` is given and has another shape than
            `(vocabulary_size, embedding_dim)`, or values that are not finite.
    """
    expected = (vocabulary_size, embedding_dim)
    if embeddings is not None and np.shape(embeddings) != expected:
        raise ValueError(
            "`embeddings` must have the shape (vocabulary_size, "
            f"embedding_dim) = {expected}. "
            f"Received: embeddings.shape={np.shape(embeddings)}"
        )
    if embeddings is not None and not np.isfinite(embeddings).all():
        finite = np.isfinite(embeddings).all(axis=1)
        raise ValueError(
            "`embeddings` must be finite. "
            f"Received: NaN or infinity in row {int(np.argmin(finite))}"
        )


def word_embedding(
    vocabulary_size: int,
    embedding_dim: int,
    embeddings: np.ndarray | None = None,
    trainable: bool = False,
    l2: float = 0.0,
    dtype: Any = None,
) -> keras.layers.Embedding:
    """Creates the embedding of word ids, which masks id 0.

    Args:
        vocabulary_size: number of word ids.
        embedding_dim: size of the vectors.
        embeddings: array `(vocabulary_size, embedding_dim)` to start with;
            uniform in (-.25, .25) without it.
        trainable: whether training changes the vectors.
        l2: strength of the L2 regularisation of the vectors.
        dtype: dtype policy.

    Returns:
        A built layer with the name `"embedding"`.

    Raises:
        ValueError: if a size is not a positive integer, or `embeddings` has
            another shape or values that are not finite.
    """
    check_positive(vocabulary_size=vocabulary_size, embedding_dim=embedding_dim)
    check_embeddings(embeddings, vocabulary_size, embedding_dim)
    layer = keras.layers.Embedding(
        vocabulary_size,
        embedding_dim,
        embeddings_initializer=keras.initializers.RandomUniform(-0.25, 0.25),
        embeddings_regularizer=keras.regularizers.L2(l2) if l2 else None,
        mask_zero=True,
        trainable=trainable,
        dtype=dtype,
        name="embedding",
    )
    layer.build((None,))
    if embeddings is not None:
        layer.embeddings.assign(embeddings)
    return layer


def word_vectors(given: SimpleNamespace) -> keras.layers.Embedding:
    """Creates the embedding of word ids that a model's arguments ask for.

    Args:
        given: the arguments of a model, those of `word_embedding` among them,
            with `trainable_embeddings` for `trainable`.

    Returns:
        What `word_embedding` returns, of the dtype policy `given.dtype`.
    """
    return word_embedding(
        given.vocabulary_size,
        given.embedding_dim,
        given.embeddings,
        given.trainable_embeddings,
        given.l2,
        full_policy(given.dtype),
    )


def l2_regularizers(l2: float, *names: str) -> dict[str, Any]:
    """Returns regulariser arguments for a layer.

    Args:
        l2: strength of the regularisation.
        *names: kinds of weights, such as `"kernel"` and `"bias"`.

    Returns:
        Dict of arguments such as `kernel_regularizer`; empty if `l2` is 0.
    """
    return {
        f"{name}_regularizer": keras.regularizers.L2(l2)
        for name in (names if l2 else ())
    }


def count_parameters(model: keras.Model, *left_out: Any) -> int:
    """Counts the trainable parameters, without those of some layers.

    Args:
        model: a built model.
        *left_out: layers of the model; `None` is skipped.

    Returns:
        The sum of the sizes of the remaining trainable weights.
    """
    skipped = {
        id(weight) for layer in left_out if layer for weight in layer.weights
    }
    return sum(
        int(np.prod(weight.shape))
        for weight in model.trainable_weights
        if id(weight) not in skipped
    )


def text_inputs(
    question_length: int | None = None, answer_length: int | None = None
) -> dict[str, Any]:
    """Creates the symbolic inputs of a model of pairs of texts.

    Args:
        question_length: the length that all questions have; None if it varies.
        answer_length: the length that all answers have, or None.

    Returns:
        Dict of int tensors `"question"` and `"answer"` `(batch_size, length)`.

    Raises:
        ValueError: if a length is neither None nor a positive integer.
    """
    lengths = {
        "question_length": question_length,
        "answer_length": answer_length,
    }
    check_positive(**{n: x for n, x in lengths.items() if x is not None})
    return {
        side: keras.Input((length,), dtype="int32", name=side)
        for side, length in zip(SIDES, lengths.values(), strict=True)
    }


def vector_inputs(size: int, dtype: str) -> dict[str, Any]:
    """Creates the symbolic inputs of a model of pairs of encoded texts.

    Args:
        size: size of a text's vector.
        dtype: dtype of the vectors.

    Returns:
        Dict of tensors `"question"` and `"answer"` `(batch_size, size)`.
    """
    return {
        side: keras.Input((size,), dtype=dtype, name=side) for side in SIDES
    }
