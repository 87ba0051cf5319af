"""Word embedding with a vector for the end of a sentence."""

from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.models.building import check_embeddings
from keras_qa.models.building import word_embedding

# The paper's range for words without a vector.
END_RANGE = 0.3


def sentence_embedding(
    vocabulary_size: int,
    embedding_dim: int,
    embeddings: np.ndarray | None = None,
    trainable: bool = False,
    dtype: Any = None,
) -> keras.layers.Embedding:
    """Creates the embedding of word ids and `<EOS>`, which masks id 0.

    `<EOS>` has the id `vocabulary_size`. Its vector is uniform in (-.3, .3)
    and depends on `embedding_dim` only, so that models with the same word
    vectors have the same embedding.

    Args:
        vocabulary_size: number of word ids, without `<EOS>`.
        embedding_dim: size of the vectors.
        embeddings: array `(vocabulary_size, embedding_dim)` to start with;
            uniform in (-.25, .25) without it.
        trainable: whether training changes the vectors.
        dtype: dtype policy.

    Returns:
        A built layer with the name `"embedding"` and `vocabulary_size` + 1
        rows.

    Raises:
        ValueError: if a size is not a positive integer, or `embeddings` has
            another shape or values that are not finite.
    """
    check_embeddings(embeddings, vocabulary_size, embedding_dim)
    layer = word_embedding(
        vocabulary_size + 1, embedding_dim, trainable=trainable, dtype=dtype
    )
    if embeddings is None:
        embeddings = ops.convert_to_numpy(layer.embeddings)[:-1]
    end = np.random.default_rng(0).uniform(-END_RANGE, END_RANGE, embedding_dim)
    layer.embeddings.assign(np.vstack([embeddings, end]))
    return layer
