"""Contextual word vectors, such as BERT's, looked up by text."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.layers.pair_layer import PairLayer
from keras_qa.layers.sequences import cut_or_pad


@keras.saving.register_keras_serializable(package="keras_qa")
class TextVectors(PairLayer):
    """Looks up the contextual vectors of the words of a text.

    A contextual vector depends on the other words of the text, so the vectors
    are stored by text and looked up by the number of the text. They are not
    trained.

    Args:
        vectors: float array `(texts, length, dim)`, 0 after the last word of a
            text; or its shape, three integers, for vectors of 0. The values
            are not part of the configuration but a weight, which is saved.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[rows, ids]` of int tensors `(batch_size, 1)`, the number
            of each text, and `(batch_size, text_length)`, of which only the
            length is used.

    Output:
        Float tensor `(batch_size, text_length, dim)`: the texts' vectors, cut
        or padded with 0.

    Raises:
        ValueError: if `vectors` does not have three axes, or the inputs have
            other axes.

    Example:
        >>> layer = TextVectors(np.ones((5, 9, 4)))
        >>> layer([np.array([[3]]), np.array([[7, 8]])]).shape
        (1, 2, 4)
    """

    parts = {
        "rows": ("batch_size", "1"),
        "ids": ("batch_size", "text_length"),
    }

    def __init__(self, vectors: np.ndarray | Sequence[int], **kwargs: Any):
        super().__init__(**kwargs)
        given = np.ndim(vectors) != 1
        shape = np.shape(vectors) if given else tuple(map(int, vectors))
        if len(shape) != 3:
            raise ValueError(
                "`vectors` must have the shape (texts, length, dim) or be such "
                f"a shape. Received: shape={shape!r}"
            )
        self.shape = shape
        self.build((None, None))
        if given:
            self.vectors.assign(vectors)

    def build(self, input_shape: Any) -> None:
        """Creates the vectors."""
        self.vectors = self.add_weight(
            name="vectors",
            shape=self.shape,
            initializer="zeros",
            trainable=False,
        )

    def call(self, inputs: Any) -> Any:
        """Looks up the vectors."""
        rows, ids = inputs
        found = ops.take(self.vectors, rows[:, 0], axis=0)
        return cut_or_pad(found, ops.shape(ids)[1])

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
