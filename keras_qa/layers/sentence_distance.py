"""A weighted cosine distance of the vectors of two whole texts."""

import math
from typing import Any

import keras
from keras import ops

from keras_qa.layers.base_layer import MaskingLayer
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.vectors import unit_vectors


@keras.saving.register_keras_serializable(package="keras_qa")
class SentenceDistance(PrecisePairLayer, MaskingLayer):
    """One minus the cosine of two vectors, times a trainable number.

        d(q, a) = w (1 - <q, a> / (|q| |a|))

    The cosine of a zero vector is 0. Half-precision inputs are computed, and
    returned, in float32. Masks are neither used nor passed on.

    Args:
        initial_weight: start of w; finite.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of tensors `(batch_size, dim)`.

    Output:
        Distances `(batch_size, 1)`.

    Raises:
        ValueError: if `initial_weight` is not finite.

    Example:
        >>> q, a = keras.ops.array([[3.0, 4.0]]), keras.ops.array([[4.0, 3.0]])
        >>> SentenceDistance(2.0)([q, a])
        [[0.08]]
    """

    parts = {"question": ("batch_size", "dim"), "answer": ("batch_size", "dim")}

    def __init__(self, initial_weight: float = 1.0, **kwargs: Any):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        if not math.isfinite(initial_weight):
            raise ValueError(
                "`initial_weight` must be finite. "
                f"Received: initial_weight={initial_weight!r}"
            )
        self.initial_weight = initial_weight

    def build(self, input_shape: Any) -> None:
        """Creates w."""
        self.weight = self.add_precise_weight(
            name="weight",
            shape=(),
            initializer=keras.initializers.Constant(self.initial_weight),
        )

    def call(self, inputs: Any) -> Any:
        """Computes the distances of pairs."""
        question, answer = (
            unit_vectors(ops.cast(x, self.precise)) for x in inputs
        )
        cosines = ops.sum(question * answer, axis=-1, keepdims=True)
        return self.weight * (1 - cosines)

    def pair_distances(self, question: Any, answer: Any) -> Any:
        """Distances of all questions from all answers.

        Args:
            question: float tensor `(questions, dim)`.
            answer: float tensor `(answers, dim)`.

        Returns:
            Float tensor `(questions, answers)`.
        """
        question, answer = unit_vectors(question), unit_vectors(answer)
        return self.weight * (1 - ops.matmul(question, ops.transpose(answer)))

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """`(batch_size, 1)`."""
        return (input_shape[0][0], 1)
