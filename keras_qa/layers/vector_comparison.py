"""Several measures of how two vectors differ, side by side."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.pair_layer import broadcast_shape
from keras_qa.vectors import bounded_distance
from keras_qa.vectors import unit_vectors


@keras.saving.register_keras_serializable(package="keras_qa")
class VectorComparison(PrecisePairLayer):
    """Cosine, distance and differences of two vectors.

        comU1(q, a) = (cos(q, a), ||q - a||, |q_1 - a_1|, ..., |q_d - a_d|)
        comU2(q, a) = (cos(q, a), ||q - a||)

    The distance is bounded below by 1e-6 and the norms as in
    `CosineSimilarity`, so that gradients are finite; equal vectors have none
    by the distance, zero vectors none by the cosine. Half-precision inputs are
    computed, and returned, in float32. Masks are neither used nor passed on.

    Args:
        differences: whether the absolute differences follow (comU1) or not
            (comU2).
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size, ...,
            dim)`, whose axes before the last broadcast.

    Output:
        Float tensor `(batch_size, ..., 2 + dim)`, or `(batch_size, ..., 2)`
        without differences.

    Raises:
        ValueError: if the inputs are not two tensors of vectors of one size.

    Example:
        >>> q, a = keras.ops.array([[3.0, 4.0]]), keras.ops.array([[4.0, 3.0]])
        >>> VectorComparison()([q, a])
        [[0.96, 1.4142135, 1., 1.]]

    Reference: He et al., 2015, "Multi-Perspective Sentence Similarity Modeling
    with Convolutional Neural Networks", the comparison units.
    """

    parts = {"question": ("...", "dim"), "answer": ("...", "dim")}

    def __init__(self, differences: bool = True, **kwargs: Any):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        self.differences = differences

    def call(self, inputs: Any) -> Any:
        """Compares the vectors."""
        question, answer = (ops.cast(x, self.precise) for x in inputs)
        cosine = ops.sum(
            unit_vectors(question) * unit_vectors(answer),
            axis=-1,
            keepdims=True,
        )
        features = [cosine, bounded_distance(question, answer)]
        if self.differences:
            features.append(ops.abs(question - answer))
        return ops.concatenate(features, axis=-1)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, ..., 2 + dim)`, or 2 without differences."""
        dim = input_shape[0][-1] if self.differences else 0
        return (*broadcast_shape(input_shape)[:-1], 2 + dim)
