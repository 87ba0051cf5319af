"""Contextual word vectors, such as BERT's, looked up by text."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.sequences import as_indices
from keras_qa.text.vector_texts import VectorTexts


@keras.saving.register_keras_serializable(package="keras_qa")
class TextVectors(PairLayer):
    """Looks up the contextual vectors of the words of a text.

    A contextual vector depends on the other words of the text, so the vectors
    are stored by text and looked up by the number of the text. They are not
    trained.

    Args:
        vectors: the vectors of each text, or their shape, three integers
            `(texts, words, dim)` with the number of the words of all texts, for
            vectors of 0 of texts without words. The values are not part of the
            configuration but weights, which are saved.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[rows, ids]` of int tensors `(batch_size, 1)`, the number
            of each text, and `(batch_size, text_length)`, of which only the
            length is used.

    Output:
        Float tensor `(batch_size, text_length, dim)`: the texts' vectors, cut
        or padded with 0.

    Raises:
        ValueError: if `vectors` is neither of the two, or the inputs have other
            axes.

    Example:
        >>> texts = [np.ones((2, 4)), np.ones((5, 4))]
        >>> layer = TextVectors(VectorTexts.from_arrays(texts, 4))
        >>> layer([np.array([[1]]), np.array([[7, 8, 3]])]).shape
        (1, 3, 4)
    """

    parts = {
        "rows": ("batch_size", "1"),
        "ids": ("batch_size", "text_length"),
    }

    def __init__(self, vectors: VectorTexts | Sequence[int], **kwargs: Any):
        super().__init__(**kwargs)
        self.shape = vectors_shape(vectors)
        self.build((None, None))
        if isinstance(vectors, VectorTexts):
            self.vectors.assign(np.pad(vectors.vectors, ((1, 0), (0, 0))))
            self.offsets.assign(vectors.offsets)

    def build(self, input_shape: Any) -> None:
        """Creates the vectors."""
        # The constructor calls it; a layer around this one may do so again.
        if self.built:
            return
        texts, words, dim = self.shape
        # The first vector is that of padding.
        self.vectors = self.add_weight(
            name="vectors",
            shape=(1 + words, dim),
            initializer="zeros",
            trainable=False,
        )
        self.offsets = self.add_weight(
            name="offsets",
            shape=(texts + 1,),
            initializer="zeros",
            dtype="int32",
            trainable=False,
        )

    def call(self, inputs: Any) -> Any:
        """Looks up the vectors."""
        rows, ids = inputs
        rows = as_indices("inputs", rows)
        start = ops.take(self.offsets, rows)
        end = ops.take(self.offsets, rows + 1)
        places = start + ops.cumsum(ops.ones_like(ids, "int32"), axis=1)
        return ops.take(
            self.vectors, ops.where(places <= end, places, 0), axis=0
        )

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, text_length, dim)`."""
        return (*input_shape[1], self.shape[-1])

    def compute_output_spec(self, inputs: Any) -> keras.KerasTensor:
        """The vectors' shape and dtype."""
        shape = self.compute_output_shape([tuple(x.shape) for x in inputs])
        return keras.KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments, with the vectors' shape."""
        return {**super().get_config(), "vectors": list(self.shape)}


def vectors_shape(
    vectors: VectorTexts | Sequence[int],
) -> tuple[int, int, int]:
    """The numbers of texts and words, and the size of a vector.

    Raises:
        ValueError: if `vectors` is neither such texts nor such a shape.
    """
    if isinstance(vectors, VectorTexts):
        return len(vectors), *vectors.vectors.shape
    if np.shape(vectors) != (3,):
        flat = np.ndim(vectors) == 1
        raise ValueError(
            "`vectors` must be a VectorTexts or a shape (texts, words, dim). "
            f"Received: {vectors if flat else f'shape={np.shape(vectors)}'}"
        )
    texts, words, dim = map(int, vectors)
    return texts, words, dim
