"""Maps from Euclidean space to points given by radius and direction."""

import math
from typing import Any

import keras
from keras import ops

from keras_qa.arguments import check_above_zero
from keras_qa.arguments import check_choice
from keras_qa.hyperbolic_ops import inverse_softplus
from keras_qa.layers.base_layer import ConfiguredLayer
from keras_qa.vectors import unit_vectors

PROJECTIONS = ("lorentz", "sphere", "radius")


@keras.saving.register_keras_serializable(package="keras_qa")
class TangentProjection(ConfiguredLayer):
    """Maps vectors to points of hyperbolic space, as tangent vectors.

    The output t is the tangent vector at the origin whose exponential map is
    the point: |t| is its hyperbolic radius (see `keras_qa.hyperboloid`). With
    `y` a vector and u = y / ||y|| its direction, which is 0 for y = 0:

    `"lorentz"` is the exponential map with a positive factor s, with the points
    of `BallProjection("expmap")`, but all their digits:

        t = 2 s y

    `"radius"` learns the radius apart from the direction, as the sigmoid of a
    linear function, in the ball:

        t = 2 artanh(σ(z)) u = log(1 + 2 exp(z)) u
        z = <k, u> + l log(1 + ||y||) + b

    with k and l started at 0. `"sphere"` has z = b: all points have one
    learned radius.

    Args:
        projection: `"lorentz"`, `"sphere"` or `"radius"`.
        scale: the factor s of `"lorentz"`, before training.
        trainable_scale: whether s is learned, as `exp` of a weight.
        radius: hyperbolic radius of all points before training, of `"sphere"`
            and `"radius"`, from which b is computed.

    Call arguments:
        inputs: float tensor `(..., dim)`.

    Output:
        Float tensor of the same shape.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> layer = TangentProjection("sphere", radius=2.0)
        >>> layer(keras.ops.array([[3.0, 4.0]]))
        [[1.2, 1.6]]

    Reference: Nickel and Kiela, 2018, "Learning Continuous Hierarchies in the
    Lorentz Model of Hyperbolic Geometry" (exponential map). Dhingra et al.,
    2018, "Embedding Text in Hyperbolic Spaces", section 3 (`"radius"`, with
    features of the text in place of the length).
    """

    def __init__(
        self,
        projection: str = "lorentz",
        scale: float = 0.05,
        trainable_scale: bool = True,
        radius: float = 3.0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("projection", projection, PROJECTIONS)
        check_above_zero(scale=scale, radius=radius)
        self.projection = projection
        self.scale = scale
        self.trainable_scale = trainable_scale
        self.radius = radius
        self.supports_masking = True

    def build(self, input_shape: tuple) -> None:
        """Creates the scale, or the weights of the radius."""
        constant = keras.initializers.Constant
        if self.projection == "lorentz":
            self.log_scale = self.add_weight(
                name="log_scale",
                shape=(),
                initializer=constant(math.log(self.scale)),
                trainable=self.trainable_scale,
            )
            return
        start = inverse_softplus(self.radius) - math.log(2)
        self.bias = self.add_weight(
            name="radius_bias", shape=(), initializer=constant(start)
        )
        if self.projection == "radius":
            self.kernel = self.add_weight(
                name="radius_kernel",
                shape=(input_shape[-1],),
                initializer="zeros",
            )
            self.slope = self.add_weight(
                name="radius_slope", shape=(), initializer="zeros"
            )

    def call(self, inputs: Any) -> Any:
        """Computes the tangent vectors."""
        if self.projection == "lorentz":
            return 2 * ops.exp(self.log_scale) * inputs
        y = ops.cast(inputs, self.precise)
        direction, z = unit_vectors(y), ops.cast(self.bias, self.precise)
        if self.projection == "radius":
            length = ops.sum(direction * y, axis=-1, keepdims=True)
            linear = direction * ops.cast(self.kernel, self.precise)
            z = z + ops.sum(linear, axis=-1, keepdims=True)
            z = z + ops.cast(self.slope, self.precise) * ops.log(1 + length)
        # log(1 + 2 exp(z))
        tangent = ops.softplus(z + math.log(2)) * direction
        return ops.cast(tangent, self.compute_dtype)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """The shape of the input."""
        return input_shape
