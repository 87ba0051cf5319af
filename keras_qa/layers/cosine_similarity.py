"""Cosine of the angle between a question and an answer vector."""

from typing import Any

import keras
from keras import ops

from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.pair_layer import broadcast_shape
from keras_qa.vectors import unit_vectors


@keras.saving.register_keras_serializable(package="keras_qa")
class CosineSimilarity(PrecisePairLayer):
    """Cosine of the angle between two vectors.

        cos(q, a) = <q, a> / (|q| |a|)

    The cosine of a zero vector is 0 and its gradient 0. Other norms are bounded
    below by 1e-6, so that gradients are finite. Half-precision inputs are
    computed, and returned, in float32. Masks are neither used nor passed on.

    Args:
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size, dim)`.

    Output:
        Cosines, a float tensor `(batch_size, 1)`.

    Raises:
        ValueError: if the inputs are not two vectors of the same size.

    Example:
        >>> q, a = keras.ops.array([[3.0, 4.0]]), keras.ops.array([[4.0, 3.0]])
        >>> CosineSimilarity()([q, a])
        [[0.96]]

    Reference: Tay et al., 2018, "Hyperbolic Representation Learning for Fast
    and Efficient Neural Question Answering", section 4.5.
    """

    parts = {"question": ("...", "dim"), "answer": ("...", "dim")}

    def __init__(self, **kwargs: Any):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)

    def call(self, inputs: Any) -> Any:
        """Computes the cosines."""
        question, answer = (
            unit_vectors(ops.cast(x, self.precise)) for x in inputs
        )
        return ops.sum(question * answer, axis=-1, keepdims=True)

    def compute_output_shape(self, input_shape: Any) -> tuple:
        """Returns the broadcast leading axes and a last axis of size 1."""
        return broadcast_shape(input_shape)
