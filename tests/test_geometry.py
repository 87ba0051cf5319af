"""The Poincaré ball against NumPy in float64 and against its own identities.

The identities are crossed over dtypes and radii. Tolerances follow the rounding
of 1 - |x|²: near the boundary an error of one unit in the last place of |x|² is
an error of `machine epsilon / (1 - |x|²)` in a distance.
"""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa import geometry
from support.layer_checks import gradients

# Keras computes in float32 on JAX (without its 64 bit mode) and PyTorch.
DTYPES = (
    ["float32", "float64"]
    if keras.backend.backend() == "tensorflow"
    else ["float32"]
)
RADII = [1e-15, 1e-3, 0.5, 0.9, 0.999, 1 - 1e-5]
# float64 can look closer at the boundary than the default bound allows.
EPSILON = {"float32": geometry.BOUNDARY_EPSILON, "float64": 1e-14}


def _points(seed, radius, dtype, count=160, dim=5):
    x = np.random.default_rng(seed).normal(size=(count, dim))
    x *= radius / np.linalg.norm(x, axis=-1, keepdims=True)
    return x.astype(dtype)


def _numpy(tensor):
    return ops.convert_to_numpy(tensor)


def _gap(x):
    """1 - |x|² in float64, shape `(..., 1)`."""
    return 1 - np.sum(np.square(x, dtype="float64"), -1, keepdims=True)


def _eq_4(x, y):
    """The printed formula, in float64."""
    x, y = x.astype("float64"), y.astype("float64")
    fraction = np.sum((x - y) ** 2, -1) / (_gap(x) * _gap(y))[..., 0]
    return np.arccosh(1 + 2 * fraction)


def _eq_5(theta, x):
    """The printed gradient of d(θ, x) with respect to θ, in float64."""
    theta, x = theta.astype("float64"), x.astype("float64")
    alpha, beta = _gap(theta), _gap(x)
    squared = np.sum((theta - x) ** 2, -1, keepdims=True)
    gamma = 1 + 2 / (alpha * beta) * squared
    inner = np.sum(theta * x, -1, keepdims=True)
    x_squared = np.sum(x**2, -1, keepdims=True)
    bracket = (x_squared - 2 * inner + 1) / alpha**2 * theta - x / alpha
    return 4 / (beta * np.sqrt(gamma**2 - 1)) * bracket


def _rounding(dtype, *points):
    """How wrong 1 - |x|² can be, relative to itself, after rounding."""
    smallest = min(_gap(x).min() for x in points)
    return 8 * np.finfo(dtype).eps / smallest


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("radius", RADII)
def test_distance_identities(radius, dtype):
    x = _points(0, radius, dtype)
    y = _points(100, 0.7, dtype)
    z = _points(200, 0.95, dtype)
    epsilon = EPSILON[dtype]

    def d(a, b):
        return _numpy(geometry.distance(a, b, epsilon))

    tolerance = _rounding(dtype, x, y, z)
    np.testing.assert_allclose(
        d(x, y), _eq_4(x, y), rtol=tolerance, atol=tolerance
    )
    np.testing.assert_array_equal(d(x, y), d(y, x))
    np.testing.assert_array_equal(d(x, x), 0)
    # On a ray through the origin the distance is 2 artanh|x|.
    norm = np.linalg.norm(x.astype("float64"), axis=-1)
    np.testing.assert_allclose(
        d(np.zeros_like(x), x),
        2 * np.arctanh(norm),
        rtol=16 * np.finfo(dtype).eps,
        atol=tolerance * (radius > 0.5),
    )
    assert (d(x, z) <= d(x, y) + d(y, z) + tolerance).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("radius", RADII)
def test_gradient_is_eq_5(radius, dtype):
    theta = _points(0, radius, dtype)
    x = _points(100, 0.8, dtype)
    found, _ = gradients(
        lambda a, b: geometry.distance(a, b, EPSILON[dtype]), theta, x
    )
    expected = _eq_5(theta, x)
    scale = np.abs(expected).max(-1, keepdims=True)
    tolerance = 4 * _rounding(dtype, theta, x)
    np.testing.assert_allclose(
        found / scale, expected / scale, rtol=tolerance, atol=tolerance
    )


def test_close_points_keep_their_distance():
    # 1 + 2u rounds to 1 here, so the printed formula gives 0.
    x = np.array([[0.5, 0.0]], "float32")
    y = x + np.array([[0.0, 1e-6]], "float32")
    distance = _numpy(geometry.distance(x, y))
    np.testing.assert_allclose(distance, [2e-6 / 0.75], rtol=1e-5)
    assert np.arccosh(np.float32(1) + np.float32(2e-12 / 0.75**2)) == 0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("radius", [1e-15, 1e-3, 0.5, 0.9])
def test_mobius_addition_identities(radius, dtype):
    a = _points(0, radius, dtype)
    x = _points(100, 0.6, dtype)
    y = _points(200, 0.8, dtype)
    zero = np.zeros_like(x)

    def add(left, right):
        return _numpy(geometry.mobius_add(left, right, EPSILON[dtype]))

    tolerance = 100 * _rounding(dtype, a, x, y)
    np.testing.assert_allclose(add(zero, x), x, rtol=1e-6)
    np.testing.assert_allclose(add(x, zero), x, rtol=1e-6)
    np.testing.assert_array_equal(add(-x, x), 0)
    np.testing.assert_allclose(add(-a, add(a, x)), x, atol=tolerance)
    # Left translation is an isometry.
    np.testing.assert_allclose(
        _numpy(geometry.distance(add(a, x), add(a, y), EPSILON[dtype])),
        _eq_4(x, y),
        rtol=tolerance,
    )


def test_mobius_addition_on_a_line_is_the_addition_of_speeds():
    total = _numpy(geometry.mobius_add([[0.5, 0.0]], [[0.8, 0.0]]))
    np.testing.assert_allclose(total, [[1.3 / 1.4, 0]], rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("radius", [0.0, 1e-15, 1e-3, 0.5, 0.9, 0.99])
def test_exponential_and_logarithmic_map_are_inverse(radius, dtype):
    x = _points(0, radius, dtype)
    y = _points(100, 0.8, dtype)
    epsilon = EPSILON[dtype]
    tangent = geometry.log_map(x, y, epsilon)
    reached = geometry.exp_map(x, tangent, epsilon)
    # Errors grow as e^d along a geodesic of length d.
    scale = np.exp(_eq_4(x, y))[:, None]
    returned = _numpy(geometry.log_map(x, reached, epsilon))
    for found, expected in ((reached, y), (returned, tangent)):
        np.testing.assert_allclose(
            _numpy(found) / scale,
            _numpy(expected) / scale,
            atol=8 * np.finfo(dtype).eps,
        )
    # The tangent is as long, in the metric, as the way to y.
    length = np.linalg.norm(_numpy(tangent).astype("float64"), axis=-1)
    np.testing.assert_allclose(
        2 * length / _gap(x)[..., 0], _eq_4(x, y), rtol=_rounding(dtype, x, y)
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_maps_at_the_origin(dtype):
    tangent = _points(0, 0.75, dtype)
    zero = np.zeros_like(tangent)
    reached = _numpy(geometry.exp_map(zero, tangent))
    np.testing.assert_allclose(
        reached, tangent * (np.tanh(0.75) / 0.75), rtol=1e-6
    )
    np.testing.assert_allclose(
        _numpy(geometry.log_map(zero, reached)), tangent, rtol=1e-5
    )


def test_exponential_map_moves_nothing_by_a_zero_tangent():
    for radius in RADII:
        x = _points(1, radius, "float32")
        reached = _numpy(geometry.exp_map(x, np.zeros_like(x)))
        np.testing.assert_array_equal(reached, x)


def test_endless_tangent_ends_on_the_boundary_ahead():
    x = _points(2, 0.5, "float32")
    reached = _numpy(geometry.project(geometry.exp_map(x, 1e6 * x)))
    np.testing.assert_allclose(reached, x * (2 - 2e-5), rtol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("radius", RADII)
def test_conformal_factor(radius, dtype):
    x = _points(3, radius, dtype)
    factor = _numpy(geometry.conformal_factor(x, EPSILON[dtype]))
    assert factor.shape == (160,)
    np.testing.assert_allclose(
        factor, 2 / _gap(x)[..., 0], rtol=_rounding(dtype, x)
    )
    assert geometry.conformal_factor(x, keepdims=True).shape == (160, 1)


def test_conformal_factor_stretches_small_steps():
    x = _points(4, 0.9, "float32")
    step = _points(5, 1e-4, "float32")
    stretch = _numpy(geometry.distance(x, x + step)) / 1e-4
    np.testing.assert_allclose(
        stretch, _numpy(geometry.conformal_factor(x)), rtol=5e-3
    )


def test_riemannian_gradient_divides_by_the_squared_factor():
    x = np.array([[0.6, 0.0], [0.0, 0.0]], "float32")
    gradient = np.array([[1.0, -2.0], [4.0, 8.0]], "float32")
    # (1 - .36)² / 4 = .1024
    np.testing.assert_allclose(
        _numpy(geometry.egrad_to_rgrad(x, gradient)),
        [[0.1024, -0.2048], [1, 2]],
        rtol=1e-6,
    )


def test_retraction_agrees_with_the_exponential_map_to_first_order():
    x = _points(6, 0.5, "float32")
    direction = _points(7, 1.0, "float32")

    def gap_between(step):
        straight = _numpy(geometry.retract(x, step * direction))
        curved = _numpy(geometry.exp_map(x, step * direction))
        return np.abs(straight - curved).max()

    # A tenth of the step, a hundredth of the difference.
    assert gap_between(1e-2) == pytest.approx(gap_between(1e-1) / 100, rel=0.5)
    far = _numpy(geometry.retract(x, 10 * direction))
    np.testing.assert_allclose(
        np.linalg.norm(far, axis=-1), 1 - geometry.BALL_EPSILON, rtol=1e-6
    )


def test_projection_leaves_the_inside_alone_and_clips_the_rest():
    inside = _points(8, 0.9999, "float32")
    np.testing.assert_array_equal(_numpy(geometry.project(inside)), inside)
    for radius in (1.0, 45.0):
        outside = _points(9, radius, "float32", dim=300)
        clipped = _numpy(geometry.project(outside))
        expected = outside / radius * (1 - geometry.BALL_EPSILON)
        np.testing.assert_allclose(clipped, expected, rtol=1e-6, atol=1e-9)
        assert (_gap(clipped) > 0).all()
        again = _numpy(geometry.project(clipped))
        np.testing.assert_allclose(again, clipped, rtol=1e-6)
    np.testing.assert_array_equal(_numpy(geometry.project([[0.0, 0.0]])), 0)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_computed_and_returned_in_float32(dtype):
    x = ops.cast(_points(10, 0.99, "float32"), dtype)
    y = ops.cast(_points(11, 0.98, "float32"), dtype)
    rounded = [_numpy(ops.cast(t, "float32")) for t in (x, y)]
    distance = geometry.distance(x, y)
    assert keras.backend.standardize_dtype(distance.dtype) == "float32"
    np.testing.assert_allclose(_numpy(distance), _eq_4(*rounded), rtol=1e-4)
    for result in (
        geometry.project(x),
        geometry.mobius_add(x, y),
        geometry.exp_map(x, y),
        geometry.log_map(x, y),
        geometry.egrad_to_rgrad(x, y),
    ):
        assert keras.backend.standardize_dtype(result.dtype) == "float32"


FUNCTIONS = {
    "distance": geometry.distance,
    "released": lambda x, y: geometry.distance(x, y, fraction_epsilon=1e-6),
    "clipped": lambda x, y: geometry.distance(
        geometry.project(x), geometry.project(y)
    ),
    "conformal_factor": lambda x, y: geometry.conformal_factor(x + y),
    "mobius_add": geometry.mobius_add,
    "exp_map": geometry.exp_map,
    "log_map": geometry.log_map,
    "egrad_to_rgrad": geometry.egrad_to_rgrad,
    "retract": geometry.retract,
}


# Gradients of the maps exceed the range of float16 near the boundary.
IN_FLOAT16 = ("distance", "released", "clipped")


@pytest.mark.parametrize(
    ("name", "half"),
    [(name, half) for name in FUNCTIONS for half in (None, "bfloat16")]
    + [(name, "float16") for name in IN_FLOAT16],
)
def test_values_and_gradients_are_finite_everywhere(name, half):
    # Every pair of: zero, tiny to large vectors, the clip radius, the unit
    # sphere, beyond it, all along one direction and its opposite.
    radii = [0, 1e-15, 1e-10, 1e-5, 0.1, 0.999, 1 - 1e-5, 1 - 1e-7, 1, 3, 45]
    direction = _points(12, 1.0, "float32", count=1, dim=8)
    signed = [r * s for r in radii for s in (1, -1)]
    line = np.concatenate([r * direction for r in signed]).astype("float32")
    x = np.repeat(line, len(line), axis=0)
    y = np.tile(line, (len(line), 1))

    def function(a, b):
        if half:
            a, b = ops.cast(a, half), ops.cast(b, half)
        return FUNCTIONS[name](a, b)

    assert np.isfinite(_numpy(function(x, y))).all()
    for gradient in gradients(function, x, y):
        assert np.isfinite(gradient).all()


@pytest.mark.parametrize("radius", [0, 1e-15, 0.5, 1 - 1e-5, 1, 2])
def test_gradient_of_the_distance_of_equal_points_is_zero(radius):
    x = _points(13, radius, "float32")
    for gradient in gradients(geometry.distance, x, x.copy()):
        np.testing.assert_array_equal(gradient, 0)


def test_gradients_of_the_maps_at_their_limits():
    x = _points(14, 0.6, "float32")
    weights = _points(15, 1.0, "float32")
    # d exp_x(v)/dv is the identity at v = 0; so is d log_x(y)/dy at y = x.
    _, by_tangent = gradients(
        lambda a, v: ops.multiply(geometry.exp_map(a, v), weights),
        x,
        np.zeros_like(x),
    )
    np.testing.assert_allclose(by_tangent, weights, rtol=1e-5)
    _, by_target = gradients(
        lambda a, b: ops.multiply(geometry.log_map(a, b), weights), x, x.copy()
    )
    np.testing.assert_allclose(by_target, weights, rtol=1e-5)


def test_leading_axes_broadcast():
    question = _points(16, 0.5, "float32", count=4)[:, None]
    answers = _points(17, 0.9, "float32", count=12).reshape(4, 3, 5)
    found = _numpy(geometry.distance(question, answers))
    assert found.shape == (4, 3)
    np.testing.assert_allclose(found, _eq_4(question, answers), rtol=1e-5)
