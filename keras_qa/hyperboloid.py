"""Hyperbolic space by tangent vectors at the origin, for `keras.ops` tensors.

A point is given by the tangent vector t at the origin whose exponential map it
is: |t| is the distance from the origin, t / |t| the direction. In the Lorentz
model, the hyperboloid -X₀² + X₁² + ... = -1, the point is

    X = (cosh |t|, sinh |t| t / |t|)

and in the Poincaré ball tanh(|t| / 2) t / |t|: both are charts of one space and
have one distance. Near the boundary, float32 coordinates of the ball have few
digits of 1 - |y|², and those of the hyperboloid cancel in the Lorentz product;
radius and direction keep seven digits at any distance from the origin.

The last axis of every tensor holds the coordinates; the axes before it may have
any shape and broadcast. Half precision is computed, and returned, in float32.

Sources: Nickel and Kiela, "Learning Continuous Hierarchies in the Lorentz Model
of Hyperbolic Geometry", 2018 (hyperboloid, its exponential map and distance);
Gulcehre et al., "Hyperbolic Attention Networks", 2019 (Einstein midpoint).
"""

from typing import Any

from keras import ops

from keras_qa.hyperbolic_ops import arsinh
from keras_qa.hyperbolic_ops import floating
from keras_qa.hyperbolic_ops import norm
from keras_qa.hyperbolic_ops import root
from keras_qa.hyperbolic_ops import sinh

MAX_RADIUS = 30.0
"""Longer tangent vectors count as this long, so that float32 does not overflow.

The float32 directions of points at this radius are already so far apart that
different ones have a distance of at least 25.
"""

Tensor = Any


def distance(
    x: Tensor,
    y: Tensor,
    curvature: Any = 1.0,
    asymmetry: Any = 0.0,
    keepdims: bool = False,
) -> Tensor:
    """Length of the shortest path between two points.

    With r and s the radii √c |x| and √c |y|, and θ the angle of x and y, it is
    D / √c with cosh D = cosh r cosh s - sinh r sinh s cos θ, computed as half
    of D, in which no nearly equal numbers are subtracted:

        sinh²(D / 2) = sinh²((r - s) / 2) + sinh r sinh s sin²(θ / 2)

    Points of the ball of curvature -c at tanh(√c |t| / 2) t / (√c |t|) have the
    same distance, arcosh(1 + 2c|x - y|² / ((1 - c|x|²)(1 - c|y|²))) / √c. The
    gradient has no limit at x = y; the subgradient 0 is used there.

    Args:
        x: tangent vectors at the origin, shape `(..., dim)`.
        y: tangent vectors, of a shape that broadcasts with that of `x`.
        curvature: the number c > 0; the curvature is -c.
        asymmetry: a number β. sinh(D / 2) is multiplied by exp(β (s - r)), so
            that D grows by about 2 β (s - r) if it is large, and a β other than
            0 makes points farther out than `x` farther or nearer.
        keepdims: whether to keep the last axis, with size 1.

    Returns:
        The distances, shape `(...)` or `(..., 1)`. Their relative error is
        about 1e-6, but for two points of nearly one direction: their angle is
        only known to about 1e-7, a length of 1e-7 sinh r.
    """
    x, y = floating(x), floating(y)
    scale = ops.sqrt(ops.cast(curvature, x.dtype))
    growth = ops.cast(asymmetry, x.dtype)
    x, r = _bounded(scale * x)
    y, s = _bounded(scale * y)
    # r - s and x / r - y / s by the exact difference of near points.
    apart = x - y
    change = _dot(apart, x + y) / _nonzero(r + s)
    # Of equal radii the gradient must take the same as the vectors do, which
    # that of a minimum or maximum does not on all backends.
    nearer = r < s
    near = ops.where(nearer, x, y) / _nonzero(ops.where(nearer, r, s))
    chord = (apart - near * change) / _nonzero(ops.where(nearer, s, r))
    # The chord of two directions is 2 sin(θ / 2).
    across = sinh(r) * sinh(s) * _dot(chord, chord) / 4
    half = root(ops.square(sinh(change / 2)) + across)
    length = 2 * arsinh(half * ops.exp(growth * (s - r))) / scale
    return length if keepdims else ops.squeeze(length, axis=-1)


def lift(x: Tensor) -> Tensor:
    """The point of a tangent vector on the hyperboloid.

    Args:
        x: tangent vectors at the origin, shape `(..., dim)`.

    Returns:
        `(cosh |x|, sinh |x| x / |x|)`, shape `(..., dim + 1)`.
    """
    x, r = _bounded(floating(x))
    cosh = (ops.exp(r) + ops.exp(-r)) / 2
    return ops.concatenate([cosh, sinh(r) / _nonzero(r) * x], axis=-1)


def midpoint(total: Tensor, count: Tensor) -> Tensor:
    """The Einstein midpoint of points, as a tangent vector at the origin.

    In the Klein model, the mean of the points tanh(r) u weighted by the Lorentz
    factors cosh r. This is the sum of the points on the hyperboloid, projected
    to it.

    Args:
        total: sums of points as `lift` returns them, shape `(..., dim + 1)`.
        count: numbers of summed points, of a shape that broadcasts with
            `(..., 1)`; fractions if `total` is a part of the sum.

    Returns:
        Tangent vectors, shape `(..., dim)`; zero for no points. For points of
        one direction, their length is accurate to about 1e-7 cosh² r.
    """
    time, space = total[..., :1], total[..., 1:]
    length = norm(space)
    # -<X, X> of a sum of n points is at least n².
    gap = ops.maximum(
        root(ops.maximum(time - length, 0.0)) * root(time + length), count
    )
    radius = arsinh(length / _nonzero(gap))
    return radius / _nonzero(length) * space


def _bounded(x: Tensor) -> tuple[Tensor, Tensor]:
    """Vectors of at most `MAX_RADIUS`, and their norms `(..., 1)`."""
    radius = norm(x)
    x = x * (MAX_RADIUS / ops.maximum(radius, MAX_RADIUS))
    return x, ops.minimum(radius, MAX_RADIUS)


def _dot(x: Tensor, y: Tensor) -> Tensor:
    return ops.sum(x * y, axis=-1, keepdims=True)


def _nonzero(x: Tensor) -> Tensor:
    """Numbers to divide by: 1 in place of 0, of which the quotient is 0."""
    return ops.where(x > 0, x, ops.ones_like(x))
