"""The Poincaré ball of curvature -1, written for `keras.ops` tensors.

The ball is the set of points x with |x| < 1 and the metric
(2 / (1 - |x|²))² times the Euclidean one (HyperQA, section 3.4, eq. 3). The
last axis of every tensor holds the coordinates; the axes before it may have
any shape and broadcast. Lengths are hyperbolic, without unit.

Two rules keep float32 accurate up to the boundary:

- 1 - |x|² is computed once, as (1 - |x|)(1 + |x|), and bounded below by
  `epsilon`; no other nearly equal numbers are subtracted.
- float16 and bfloat16 cannot tell points near the boundary from the boundary,
  so half-precision inputs are computed, and returned, in float32. float64
  inputs stay float64 on TensorFlow; on JAX and PyTorch, some operations of
  Keras make float32 of them.

Sources: Nickel and Kiela, "Poincaré Embeddings for Learning Hierarchical
Representations", 2017 (distance, rescaled gradient); Ganea, Bécigneul and
Hofmann, "Hyperbolic Neural Networks", 2018 (Möbius addition, exponential and
logarithmic map, lemma 2).
"""

import math
from typing import Any

from keras import ops

from keras_qa.hyperbolic_ops import arsinh
from keras_qa.hyperbolic_ops import floating
from keras_qa.hyperbolic_ops import norm
from keras_qa.hyperbolic_ops import squared_norm

BALL_EPSILON = 1e-5
"""How far inside the unit sphere `project` keeps a point.

float32 numbers just below 1 are 6e-8 apart and the norm of a clipped vector
comes out about 1e-7 wrong; 1e-5 stays two orders of magnitude above that, so
that 1 - |x|² of a clipped vector keeps two digits and never reaches 0.
"""

BOUNDARY_EPSILON = 1e-6
"""Lower bound of 1 - |x|², for points on or beyond the boundary.

It is 20 times smaller than 1 - |x|² of a vector that was clipped by
`BALL_EPSILON`, so it changes nothing and stops no gradient inside that ball,
and 10 times larger than the rounding error of |x|² in float32, so that the
value and the gradient of a distance stay finite anywhere. In float64 a
smaller value may be passed.
"""

Tensor = Any


def project(x: Tensor, epsilon: float = BALL_EPSILON) -> Tensor:
    """Clips vectors into the ball: x min(1, (1 - epsilon) / |x|).

    HyperQA, section 3.3, clips to norm 1; the ball is open, so this function
    clips to norm 1 - epsilon. Shorter vectors are returned unchanged, bit for
    bit.

    Args:
        x: vectors, shape `(..., dim)`, whose squared norms the dtype can hold.
        epsilon: distance kept from the unit sphere.

    Returns:
        Points of the ball, shape `(..., dim)`.
    """
    x = floating(x)
    radius = 1.0 - epsilon
    return x * (radius / ops.maximum(norm(x), radius))


def conformal_factor(
    x: Tensor, epsilon: float = BOUNDARY_EPSILON, keepdims: bool = False
) -> Tensor:
    """Returns the factor λ = 2 / (1 - |x|²) by which the metric scales lengths.

    HyperQA, eq. 3. It is 2 at the origin and grows towards the boundary.

    Args:
        x: points of the ball, shape `(..., dim)`.
        epsilon: lower bound of 1 - |x|².
        keepdims: whether to keep the last axis, with size 1.

    Returns:
        The factors, shape `(...)` or `(..., 1)`.
    """
    factor = 2.0 / _gap(floating(x), epsilon)
    return factor if keepdims else ops.squeeze(factor, axis=-1)


def distance(
    x: Tensor,
    y: Tensor,
    epsilon: float = BOUNDARY_EPSILON,
    fraction_epsilon: float = 0.0,
    keepdims: bool = False,
) -> Tensor:
    """Length of the shortest path between two points.

    arcosh(1 + 2u) with u = |x - y|² / ((1 - |x|²)(1 - |y|²)): HyperQA, eq. 4.
    It is computed as 2 arsinh(√u), which is equal and accurate near 0. The
    gradient (eq. 5) has no limit at x = y; the subgradient 0 is used there.
    Vectors that differ by less than about 1e-19 count as equal in float32,
    because the square underflows.

    Args:
        x: points of the ball, shape `(..., dim)`.
        y: points of the ball, of a shape that broadcasts with that of `x`.
        epsilon: lower bound of 1 - |x|² and of 1 - |y|².
        fraction_epsilon: added to the denominator of u. The code released
            with the paper adds 1e-6; 0 computes eq. 4.
        keepdims: whether to keep the last axis, with size 1.

    Returns:
        The distances, shape `(...)` or `(..., 1)`.
    """
    x = floating(x)
    y = floating(y)
    scale = ops.sqrt(_gap(x, epsilon) * _gap(y, epsilon) + fraction_epsilon)
    length = 2.0 * arsinh(norm(x - y) / scale)
    return length if keepdims else ops.squeeze(length, axis=-1)


def mobius_add(
    x: Tensor, y: Tensor, epsilon: float = BOUNDARY_EPSILON
) -> Tensor:
    """Möbius addition x ⊕ y, the ball's counterpart of a translation.

    ((1 + 2⟨x, y⟩ + |y|²) x + (1 - |x|²) y) / (1 + 2⟨x, y⟩ + |x|²|y|²),
    computed with w = x + y as sums of positive numbers: the factor of x is
    |w|² + (1 - |x|²), the denominator |w|² + (1 - |x|²)(1 - |y|²). The
    operation is neither commutative nor associative; -x ⊕ x = 0.

    Args:
        x: points of the ball, shape `(..., dim)`.
        y: points of the ball, of a shape that broadcasts with that of `x`.
        epsilon: lower bound of 1 - |x|² and of 1 - |y|².

    Returns:
        The sums, shape `(..., dim)`; inside the ball up to rounding.
    """
    x = floating(x)
    y = floating(y)
    total = x + y
    squared = squared_norm(total)
    gap = _gap(x, epsilon)
    return (gap * total + squared * x) / (squared + gap * _gap(y, epsilon))


def exp_map(
    x: Tensor, tangent: Tensor, epsilon: float = BOUNDARY_EPSILON
) -> Tensor:
    """Exponential map: the end of the geodesic that leaves `x` as `tangent`.

    x ⊕ tanh(λ|v| / 2) v / |v|, with the conformal factor λ at x. A zero
    tangent returns `x` unchanged, bit for bit. At the origin, pass zeros for
    `x`: the map is then tanh(|v|) v / |v|.

    Args:
        x: points of the ball, shape `(..., dim)`.
        tangent: tangent vectors v, of a shape that broadcasts with `x`'s.
        epsilon: lower bound of 1 - |x|².

    Returns:
        The end points, shape `(..., dim)`. That of a long tangent is on the
        boundary up to rounding: apply `project` to it, or use `retract`.
    """
    x = floating(x)
    tangent = floating(tangent)
    gap = _gap(x, epsilon)
    length = norm(tangent)
    # tanh(z)/z tends to 1 at 0: the limit keeps the gradient finite there.
    moves = length > 0
    safe_length = ops.where(moves, length, ops.ones_like(length))
    # Half the diameter of the ball that `epsilon` bounds: no step is longer.
    half = ops.minimum(safe_length / gap, math.log(4 / epsilon))
    ratio = ops.where(moves, ops.tanh(half) / safe_length, 1 / gap)
    y = ratio * tangent
    # 1 - |y|² = 1 - tanh², which for a long step is far below `epsilon`.
    decay = ops.where(moves, ops.exp(-2 * half), ops.ones_like(half))
    gap_y = 4 * decay / ops.square(1 + decay)
    # x ⊕ y written as x plus a step, so that y = 0 leaves x as it is.
    denominator = squared_norm(x + y) + gap * gap_y
    return x + gap * (y + squared_norm(y) * x) / denominator


def log_map(x: Tensor, y: Tensor, epsilon: float = BOUNDARY_EPSILON) -> Tensor:
    """The tangent vector at `x` whose exponential map is `y`.

    (2 / λ) artanh(|w|) w / |w| with w = -x ⊕ y and the conformal factor λ at
    x; 2 artanh(|w|) is computed by `distance`. At the origin, pass zeros for
    `x`.

    Args:
        x: points of the ball, shape `(..., dim)`.
        y: points of the ball, of a shape that broadcasts with that of `x`.
        epsilon: lower bound of 1 - |x|² and of 1 - |y|².

    Returns:
        The tangent vectors, shape `(..., dim)`.
    """
    x = floating(x)
    y = floating(y)
    direction = mobius_add(-x, y, epsilon)
    length = norm(direction)
    # The distance over |w| tends to 2 at w = 0.
    apart = length > 0
    safe_length = ops.where(apart, length, ops.ones_like(length))
    walked = distance(x, y, epsilon, keepdims=True) / safe_length
    ratio = ops.where(apart, walked, 2 * ops.ones_like(length))
    return 0.5 * _gap(x, epsilon) * ratio * direction


def egrad_to_rgrad(
    x: Tensor, gradient: Tensor, epsilon: float = BOUNDARY_EPSILON
) -> Tensor:
    """Converts a Euclidean gradient at `x` to the Riemannian one.

    The gradient times the inverse metric, (1 - |x|²)² / 4: HyperQA, eq. 9.

    Args:
        x: points of the ball, shape `(..., dim)`.
        gradient: gradients with respect to the coordinates, shape
            `(..., dim)`.
        epsilon: lower bound of 1 - |x|².

    Returns:
        The Riemannian gradients, shape `(..., dim)`.
    """
    return floating(gradient) * ops.square(_gap(floating(x), epsilon)) / 4


def retract(
    x: Tensor, tangent: Tensor, epsilon: float = BALL_EPSILON
) -> Tensor:
    """The retraction: a straight step, clipped to the ball.

    Nickel and Kiela, 2017, eq. 5. It costs less than `exp_map` and agrees with
    it to first order in the step.

    Args:
        x: points of the ball, shape `(..., dim)`.
        tangent: tangent vectors, of a shape that broadcasts with `x`'s.
        epsilon: distance kept from the unit sphere.

    Returns:
        Points of the ball, shape `(..., dim)`.
    """
    return project(floating(x) + floating(tangent), epsilon)


def _gap(x: Tensor, epsilon: float) -> Tensor:
    """1 - |x|², at least `epsilon`."""
    radius = norm(x)
    return ops.maximum((1.0 - radius) * (1.0 + radius), epsilon)
