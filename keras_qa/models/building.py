"""What the models share: dtype policy, word vectors, L2 and checks."""

from collections.abc import Mapping
from typing import Any

import keras
import numpy as np


def full_policy(dtype: Any) -> keras.DTypePolicy:
    """The dtype policy that a layer's `dtype` argument stands for."""
    return keras.dtype_policies.get(dtype or keras.config.dtype_policy())


def check_embeddings(
    embeddings: np.ndarray | None, vocabulary_size: int, embedding_dim: int
) -> None:
    """Refuses word vectors of another shape than the model's, and NaN in them.

    Raises:
        ValueError: if `embeddings`, where there are any, have another shape or
            a number that is not finite.
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
    """The layer that gives each word id its vector, and masks id 0.

    Args:
        vocabulary_size: number of word ids.
        embedding_dim: size of the vectors.
        embeddings: array `(vocabulary_size, embedding_dim)` to start with;
            uniform in (-.25, .25) without it.
        trainable: whether training changes the vectors.
        l2: strength of their L2 regularisation.
        dtype: dtype policy.

    Returns:
        A built layer of the name `"embedding"`.

    Raises:
        ValueError: if `embeddings` has another shape, or a number that is not
            finite.
    """
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


def l2_regularizers(l2: float, *names: str) -> dict[str, Any]:
    """The regulariser arguments of a layer, none where `l2` is 0.

    Args:
        l2: strength of the regularisation.
        *names: kinds of weights, such as `"kernel"` and `"bias"`.

    Returns:
        Dict of arguments such as `kernel_regularizer`.
    """
    return {
        f"{name}_regularizer": keras.regularizers.L2(l2)
        for name in (names if l2 else ())
    }


def check_positive(**sizes: int) -> None:
    """Raises a ValueError that names the first size below 1."""
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(
                f"`{name}` must be a positive integer. Received: {name}={size}"
            )


def count_parameters(model: keras.Model, *left_out: Any) -> int:
    """Number of trainable parameters, without those of some layers.

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


def keep_own(model: keras.Model, own: Mapping[str, Any]) -> None:
    """Makes the arguments that a subclass has of its own its attributes.

    Args:
        model: the model.
        own: the arguments by name; `own_config` gives them back.
    """
    model._own = tuple(own)
    for name, value in own.items():
        setattr(model, name, value)


def own_config(model: keras.Model) -> dict[str, Any]:
    """What `keep_own` kept, as a configuration has it."""
    own = {name: getattr(model, name) for name in model._own}
    if "activation" in own:
        own["activation"] = keras.activations.serialize(own["activation"])
    return own
