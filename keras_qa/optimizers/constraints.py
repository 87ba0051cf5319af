"""Constraints that mark variables as points of a manifold."""

from typing import Any

import keras
from keras import ops

from keras_qa import geometry

# Rounding to these dtypes moves a norm by up to half of this.
_ROUNDED = {"bfloat16": 2.0**-6, "float16": 2.0**-9}


@keras.saving.register_keras_serializable(package="keras_qa")
class PoincareBall(keras.constraints.Constraint):
    """Keeps every row of a variable inside the Poincaré ball.

    Each vector along the last axis is clipped to norm `1 - epsilon`; shorter
    vectors are unchanged. Keras applies the constraint to the variable after
    each update, and `RiemannianOptimizer(conversion="manifold")` treats
    variables with this constraint as points of the ball.

    Args:
        epsilon: distance kept from the unit sphere, between 0 and 1; at least
            2^-9 for variables of float16, and 2^-6 for those of bfloat16.

    Raises:
        ValueError: if `epsilon` is not between 0 and 1.

    Example:
        >>> ball = PoincareBall(epsilon=0.1)
        >>> ball(keras.ops.array([[3.0, 4.0], [0.0, 0.5]]))
        [[0.54, 0.72], [0. , 0.5 ]]
        >>> words = keras.layers.Embedding(10, 5, embeddings_constraint=ball)

    Reference: HyperQA, section 3.3.
    """

    def __init__(self, epsilon: float = geometry.BALL_EPSILON) -> None:
        if not 0 < epsilon < 1:
            raise ValueError(
                "`epsilon` must be between 0 and 1. "
                f"Received: epsilon={epsilon!r}"
            )
        self.epsilon = epsilon

    def __call__(self, w: Any) -> Any:
        """Returns `w`, shape `(..., dim)`, with its rows clipped."""
        dtype = keras.backend.standardize_dtype(w.dtype)
        epsilon = max(self.epsilon, _ROUNDED.get(dtype, 0.0))
        return ops.cast(geometry.project(w, epsilon), w.dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the constructor's arguments."""
        return {"epsilon": self.epsilon}
