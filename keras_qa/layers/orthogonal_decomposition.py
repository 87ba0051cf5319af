"""Orthogonal decomposition: what of a vector lies along another, and across."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.pair_layer import PrecisePairLayer

SMALLEST_SQUARE = 1e-12


@keras.saving.register_keras_serializable(package="keras_qa")
class OrthogonalDecomposition(PrecisePairLayer):
    """Splits each vector into a part parallel and one orthogonal to another.

    With x_i the vectors of a text and y_i what they are compared with, such as
    the outputs of `SoftAlignment`,

        p_i = (x_i . y_i) / (y_i . y_i) y_i
        o_i = x_i - p_i

    p_i is 0, and o_i = x_i, where y_i . y_i is below 1e-12. Half-precision
    inputs are computed, and returned, in float32.

    Args:
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[text, aligned]` of float tensors `(batch_size, length,
            dim)`.
        mask: list of two masks, of which that of the text is passed on.

    Output:
        List `[p, o]` of float tensors `(batch_size, length, dim)`, with the
        mask of the text.

    Raises:
        ValueError: if the inputs are not two sequences of one shape.

    Example:
        >>> text = keras.ops.array([[[3.0, 4.0]]])
        >>> aligned = keras.ops.array([[[2.0, 0.0]]])
        >>> OrthogonalDecomposition()([text, aligned])
        [[[[3.0, 0.0]]], [[[0.0, 4.0]]]]

    Reference: Shen, Yang and Deng, 2017, "Inter-Weighted Alignment Network for
    Sentence Pair Modeling"; Wang, Mi and Ittycheriah, 2016, "Sentence
    Similarity Learning by Lexical Decomposition and Composition".
    """

    parts = {
        "text": ("batch_size", "length", "dim"),
        "aligned": ("batch_size", "length", "dim"),
    }

    def __init__(self, **kwargs: Any):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> list[Any]:
        """Computes both parts."""
        text, aligned = (ops.cast(x, self.precise) for x in inputs)
        square = ops.sum(ops.square(aligned), axis=-1, keepdims=True)
        product = ops.sum(text * aligned, axis=-1, keepdims=True)
        large = square > SMALLEST_SQUARE
        share = ops.where(large, product, 0) / ops.where(large, square, 1)
        parallel = share * aligned
        return [parallel, text - parallel]

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> list[Any]:
        """The mask of the text, for both parts."""
        return [None if previous_mask is None else previous_mask[0]] * 2

    def compute_output_shape(self, input_shape: Any) -> list[tuple]:
        """`(batch_size, length, dim)`, twice."""
        return [tuple(input_shape[0])] * 2
