"""Hyperbolic distance of a question and an answer vector."""

from typing import Any

import keras
from keras import ops

from keras_qa import geometry
from keras_qa.arguments import check_above_zero
from keras_qa.layers.pair_layer import PrecisePairLayer
from keras_qa.layers.pair_layer import broadcast_shape


@keras.saving.register_keras_serializable(package="keras_qa")
class PoincareDistance(PrecisePairLayer):
    """Distance of two points of the Poincaré ball.

        d(q, a) = arcosh(1 + 2 |q - a|² / ((1 - |q|²)(1 - |a|²)))

    Value and gradient are finite for every input: at q = a the gradient is 0,
    and `epsilon` bounds 1 - |x|² below. Clip the vectors first
    (`geometry.project`), as the paper does. Under mixed precision the layer
    computes, and returns, float32, because half precision cannot separate
    points near the boundary. Masks are neither used nor passed on.

    Args:
        epsilon: lower bound of 1 - |x|².
        fraction_epsilon: added to the denominator of the fraction. The code
            released with the paper adds 1e-6; 0 computes eq. 4.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: list `[question, answer]` of float tensors `(batch_size, dim)`;
            the axes before the last may broadcast, such as
            `(batch_size, 1, dim)` with `(batch_size, candidates, dim)`.

    Output:
        Distances, a float tensor `(batch_size, 1)`, or the broadcast leading
        axes with a last axis of size 1.

    Raises:
        ValueError: if `epsilon` is not positive, `fraction_epsilon` is
            negative, or the inputs are not two vectors of the same size.

    Example:
        >>> question = keras.ops.array([[0.0, 0.0]])
        >>> answer = keras.ops.array([[0.0, 0.5]])
        >>> PoincareDistance()([question, answer])
        [[1.0986123]]

    Reference: HyperQA, section 3.4, eq. 4.
    """

    parts = {"question": ("...", "dim"), "answer": ("...", "dim")}

    def __init__(
        self,
        epsilon: float = geometry.BOUNDARY_EPSILON,
        fraction_epsilon: float = 0.0,
        **kwargs: Any,
    ) -> None:
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        check_above_zero(epsilon=epsilon)
        if fraction_epsilon < 0:
            raise ValueError(
                "`fraction_epsilon` must not be negative. "
                f"Received: fraction_epsilon={fraction_epsilon!r}"
            )
        self.epsilon = epsilon
        self.fraction_epsilon = fraction_epsilon

    def call(self, inputs: Any) -> Any:
        """Computes the distances."""
        question, answer = (ops.cast(x, self.precise) for x in inputs)
        return geometry.distance(
            question,
            answer,
            epsilon=self.epsilon,
            fraction_epsilon=self.fraction_epsilon,
            keepdims=True,
        )

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        """Returns the broadcast leading axes and a last axis of size 1."""
        return broadcast_shape(input_shape)
