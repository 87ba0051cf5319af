"""Maps from Euclidean space into the open unit ball."""

import math
from typing import Any

import keras
from keras import ops

from keras_qa import geometry
from keras_qa.arguments import check_above_zero
from keras_qa.arguments import check_choice
from keras_qa.layers.base_layer import ConfiguredLayer

PROJECTIONS = ("clip", "expmap")


@keras.saving.register_keras_serializable(package="keras_qa")
class BallProjection(ConfiguredLayer):
    """Maps vectors into the ball of radius `1 - epsilon`.

    With `y` a vector, `"clip"` computes

        y                               if ||y|| <= 1 - epsilon
        (1 - epsilon) y / ||y||         otherwise

    and `"expmap"` the exponential map of the ball at its origin, for a
    positive factor `s`, clipped in the same way:

        tanh(s ||y||) y / ||y||

    The paper clips to norm 1, where the distance is infinite. The clip loses
    the norms of vectors outside the ball, as nearly all sums of word vectors
    are; the exponential map keeps the order of the norms.

    Norms are computed in float32 at least. In half precision 1 - 1e-5 rounds
    to 1: under mixed precision give the layer `dtype="float32"` if a distance
    in the ball follows.

    Args:
        projection: `"clip"` or `"expmap"`.
        epsilon: distance of the clip's radius from 1, in (0, 1).
        scale: the factor `s` of `"expmap"`, before training. The default
            suits sums of about 20 word vectors, with norms of about 10 to 45;
            a larger factor would map all of them to the boundary.
        trainable_scale: whether `s` is learned, as `exp` of a weight, so that
            it stays positive.

    Call arguments:
        inputs: float tensor `(..., dim)`.

    Output:
        Float tensor of the same shape, with norms of at most `1 - epsilon`.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> BallProjection(epsilon=0.1)(keras.ops.array([[3.0, 4.0]]))
        [[0.54, 0.72]]

    Reference: Tay et al., 2018, "Hyperbolic Representation Learning for Fast
    and Efficient Neural Question Answering", section 3.3 (clip). Ganea et
    al., 2018, "Hyperbolic Neural Networks", lemma 2 (exponential map).
    """

    def __init__(
        self,
        projection: str = "clip",
        epsilon: float = geometry.BALL_EPSILON,
        scale: float = 0.05,
        trainable_scale: bool = True,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("projection", projection, PROJECTIONS)
        if not 0 < epsilon < 1:
            raise ValueError(
                f"`epsilon` must lie between 0 and 1. "
                f"Received: epsilon={epsilon!r}"
            )
        check_above_zero(scale=scale)
        self.projection = projection
        self.epsilon = epsilon
        self.scale = scale
        self.trainable_scale = trainable_scale
        self.supports_masking = True

    def build(self, input_shape: tuple) -> None:
        """Creates the logarithm of the scale for `"expmap"`."""
        if self.projection == "expmap":
            self.log_scale = self.add_weight(
                name="log_scale",
                shape=(),
                initializer=keras.initializers.Constant(math.log(self.scale)),
                trainable=self.trainable_scale,
            )

    def call(self, inputs: Any) -> Any:
        """Maps each vector of the last axis into the ball."""
        y = inputs
        if self.projection == "expmap":
            tangent = ops.exp(self.log_scale) * y
            y = geometry.exp_map(ops.zeros_like(tangent), tangent)
        return ops.cast(geometry.project(y, self.epsilon), self.compute_dtype)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """The shape of the input."""
        return input_shape
