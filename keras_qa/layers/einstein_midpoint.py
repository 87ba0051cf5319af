"""The Einstein midpoint of the points of a text's words."""

import math
from typing import Any

import keras
from keras import ops

from keras_qa import hyperboloid
from keras_qa.arguments import check_above_zero
from keras_qa.layers.base_layer import PreciseLayer


@keras.saving.register_keras_serializable(package="keras_qa")
class LorentzPoints(PreciseLayer):
    """Maps word vectors to points of the hyperboloid, with a column of ones.

    The point of a vector x is the exponential map, at the origin, of 2 s x with
    a positive factor s, as in `TangentProjection("lorentz")`:

        (1, cosh r, sinh r x / ||x||)    with r = 2 s ||x||

    A sum of these rows, such as `BagOfWords` computes, is what
    `EinsteinMidpoint` expects.

    Args:
        scale: the factor s, before training.
        trainable_scale: whether s is learned, as `exp` of a weight.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(..., dim)`.

    Output:
        Float tensor `(..., dim + 2)`.

    Raises:
        ValueError: if `scale` is not positive.

    Reference: Nickel and Kiela, 2018, "Learning Continuous Hierarchies in the
    Lorentz Model of Hyperbolic Geometry".
    """

    def __init__(
        self, scale: float = 0.05, trainable_scale: bool = True, **kwargs: Any
    ):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        check_above_zero(scale=scale)
        self.scale = scale
        self.trainable_scale = trainable_scale
        self.supports_masking = True

    def build(self, input_shape: tuple) -> None:
        """Creates the logarithm of the scale."""
        self.log_scale = self.add_precise_weight(
            name="log_scale",
            shape=(),
            initializer=keras.initializers.Constant(math.log(self.scale)),
            trainable=self.trainable_scale,
        )

    def call(self, inputs: Any) -> Any:
        """Maps each vector of the last axis."""
        x = ops.cast(inputs, self.precise)
        points = hyperboloid.lift(2 * ops.exp(self.log_scale) * x)
        ones = ops.ones_like(points[..., :1])
        return ops.concatenate([ones, points], axis=-1)

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(..., dim + 2)`."""
        return (*input_shape[:-1], input_shape[-1] + 2)


@keras.saving.register_keras_serializable(package="keras_qa")
class EinsteinMidpoint(PreciseLayer):
    """The Einstein midpoint, from a sum of rows of `LorentzPoints`.

    In the Klein model, where the point of radius r and direction u is
    k = tanh(r) u, it is the mean weighted by the Lorentz factors γ = cosh r:

        m = (γ_1 k_1 + ... + γ_M k_M) / (γ_1 + ... + γ_M)

    The output is the midpoint's tangent vector at the origin, of length
    artanh(||m||); zero if nothing was summed.

    Args:
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(..., dim + 2)`, a sum or a mean of rows.

    Output:
        Float tensor `(..., dim)`.

    Reference: Gulcehre et al., 2019, "Hyperbolic Attention Networks", section
    3.2, after Ungar, 2005.
    """

    def __init__(self, **kwargs: Any):
        # Autocasting would round the vectors to half precision on the way in.
        super().__init__(autocast=False, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        """Computes the midpoints of the last axis."""
        # Sums and means have the same midpoint.
        x = ops.cast(inputs, self.precise)
        return hyperboloid.midpoint(x[..., 1:], x[..., :1])

    def compute_output_shape(self, input_shape: tuple) -> tuple:
        """`(..., dim)`."""
        return (*input_shape[:-1], input_shape[-1] - 2)
