"""Distances and midpoints of tangent vectors, in 80-bit NumPy."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa import geometry
from keras_qa import hyperboloid
from support.layer_checks import QUICKEST
from support.layer_checks import gradients

DIM = 6


def directions(count, seed):
    x = np.random.default_rng(seed).normal(size=(count, DIM))
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def precise_distance(x, y, curvature=1.0):
    """The law of cosines by half angles, of vectors other than 0."""
    root = np.sqrt(np.longdouble(curvature))
    x, y = (root * np.asarray(v, np.longdouble) for v in (x, y))
    r, s = (np.sqrt(np.sum(v**2, -1)) for v in (x, y))
    chord = np.sum((x / r[..., None] - y / s[..., None]) ** 2, -1)
    half = np.sinh((r - s) / 2) ** 2 + np.sinh(r) * np.sinh(s) * chord / 4
    return 2 * np.arcsinh(np.sqrt(half)) / root


def found_distance(*args, **kwargs):
    return ops.convert_to_numpy(hyperboloid.distance(*args, **kwargs))


@pytest.mark.parametrize("radius", [1e-3, 0.1, 1, 5, 10, 20])
@pytest.mark.parametrize("apart", [1, 1e-2, 1e-5])
def test_seven_digits_at_any_radius(radius, apart):
    x = (radius * directions(200, 0)).astype("float32")
    other = np.random.default_rng(1).uniform(-1, 1, (200, 1)) * directions(
        200, 1
    )
    y = (x + 0.4 * apart * radius * other).astype("float32")
    expected = precise_distance(x, y)
    np.testing.assert_allclose(found_distance(x, y), expected, rtol=2e-6)
    np.testing.assert_allclose(found_distance(y, x), expected, rtol=2e-6)


def test_what_the_ball_loses():
    """The same points as coordinates of the ball keep two digits at 12."""
    x, y = (12 * directions(50, seed) for seed in (0, 1))
    expected = precise_distance(x, y)
    points = [
        ops.convert_to_numpy(
            geometry.exp_map(np.zeros_like(v, "float32"), v.astype("float32"))
        )
        for v in (x / 2, y / 2)
    ]
    ball = ops.convert_to_numpy(geometry.distance(*points, epsilon=1e-12))
    assert np.abs(ball / expected - 1).max() > 1e-4
    tangents = [v.astype("float32") for v in (x, y)]
    polar = found_distance(*tangents)
    np.testing.assert_allclose(polar, precise_distance(*tangents), rtol=1e-6)


@pytest.mark.parametrize("curvature", [0.3, 1.0, 2.5])
def test_it_is_the_distance_of_the_ball_and_of_the_hyperboloid(curvature):
    tangents = [2 * directions(40, seed) for seed in (2, 3)]
    tangents[1] *= np.linspace(0.1, 1.5, 40)[:, None]
    root = np.sqrt(curvature)
    points = [
        np.tanh(root * norm / 2) * v / (root * norm)
        for v in tangents
        for norm in [np.linalg.norm(v, axis=1, keepdims=True)]
    ]
    squares = [1 - curvature * np.sum(p**2, 1) for p in points]
    fraction = np.sum((points[0] - points[1]) ** 2, 1) / np.prod(squares, 0)
    expected = np.arccosh(1 + 2 * curvature * fraction) / root
    found = found_distance(
        *(v.astype("float32") for v in tangents), curvature=curvature
    )
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    x, y = (
        ops.convert_to_numpy(hyperboloid.lift((root * v).astype("float32")))
        for v in tangents
    )
    product = x[:, 0] * y[:, 0] - np.sum(x[:, 1:] * y[:, 1:], 1)
    np.testing.assert_allclose(np.arccosh(product) / root, found, rtol=1e-4)


def test_small_vectors_have_the_euclidean_distance_and_large_ones_the_log():
    x, y = directions(20, 4), directions(20, 5)
    chord = np.linalg.norm(x - y, axis=1)
    small = found_distance(*(1e-3 * v.astype("float32") for v in (x, y)))
    np.testing.assert_allclose(small, 1e-3 * chord, rtol=1e-5)
    large = found_distance(*(15 * v.astype("float32") for v in (x, y)))
    np.testing.assert_allclose(large, 30 + 2 * np.log(chord / 2), rtol=1e-5)


def test_asymmetry_by_hand():
    x, y = np.array([[1.0, 0.0]], "float32"), np.array([[0.0, 3.0]], "float32")
    half = np.sinh(precise_distance(x, y) / 2)
    for beta in (-0.5, 0.25):
        found = found_distance(x, y, asymmetry=beta, keepdims=True)
        expected = 2 * np.arcsinh(half * np.exp(2 * beta))
        np.testing.assert_allclose(found, [expected], rtol=1e-6)
    # Far apart it adds 2 β (s - r).
    far = found_distance(5 * x, 5 * y, asymmetry=0.25)
    np.testing.assert_allclose(far - found_distance(5 * x, 5 * y), 5, rtol=1e-4)


@pytest.mark.parametrize("mode", ["equal", "zero", "one zero", "huge", "tiny"])
def test_values_and_gradients_are_finite_everywhere(mode):
    x = directions(3, 6).astype("float32")
    x, y = {
        "equal": (x, x.copy()),
        "zero": (0 * x, 0 * x),
        "one zero": (x, 0 * x),
        "huge": (1e30 * x, -1e4 * x),
        "tiny": (1e-30 * x, 1e-25 * x),
    }[mode]
    value = found_distance(x, y)
    assert np.isfinite(value).all()
    if mode in ("equal", "zero"):
        assert not value.any()
    for gradient in gradients(hyperboloid.distance, x, y, mode=QUICKEST):
        assert np.isfinite(gradient).all()
        if mode in ("equal", "zero"):
            assert not gradient.any()


def test_gradients_are_differences_of_values():
    x, y = (2 * directions(5, seed) for seed in (7, 8))
    found = gradients(
        hyperboloid.distance,
        x.astype("float32"),
        y.astype("float32"),
        mode=QUICKEST,
    )
    step = 1e-6 * np.eye(DIM)
    for gradient, moved in zip(
        found,
        [
            lambda d: precise_distance(x[:, None] + d, y[:, None]),
            lambda d: precise_distance(x[:, None], y[:, None] + d),
        ],
        strict=True,
    ):
        expected = (moved(step) - moved(-step)) / 2e-6
        np.testing.assert_allclose(
            gradient, expected.astype(float), rtol=1e-4, atol=1e-5
        )


def klein_midpoint(tangents):
    """The mean of Klein's points, weighted by the Lorentz factors."""
    tangents = np.asarray(tangents, np.longdouble)
    radii = np.sqrt(np.sum(tangents**2, -1, keepdims=True))
    factors = np.cosh(radii)
    points = np.tanh(radii) * tangents / radii
    middle = np.sum(factors * points, -2) / np.sum(factors, -2)
    norm = np.sqrt(np.sum(middle**2, -1, keepdims=True))
    return np.arctanh(norm) * middle / norm


@pytest.mark.parametrize("radius", [1e-3, 0.5, 4])
def test_einstein_midpoint(radius):
    tangents = radius * np.stack([directions(7, seed) for seed in range(9)], 1)
    tangents *= np.random.default_rng(9).uniform(0.2, 1, (7, 9, 1))
    tangents = tangents.astype("float32")
    total = ops.sum(hyperboloid.lift(tangents), axis=1)
    expected = klein_midpoint(tangents).astype(float)
    for part in (1, 9):  # a sum, and a mean
        found = hyperboloid.midpoint(total / part, np.float32(9 / part))
        np.testing.assert_allclose(
            ops.convert_to_numpy(found), expected, rtol=1e-4, atol=1e-6 * radius
        )


def test_the_midpoint_of_one_point_of_equal_points_and_of_none():
    tangents = (np.array([[0.5], [3.0], [12.0]]) * directions(3, 10)).astype(
        "float32"
    )
    lifted = hyperboloid.lift(tangents)
    for count in (1, 4):
        found = hyperboloid.midpoint(count * lifted, np.float32(count))
        found = ops.convert_to_numpy(found)
        np.testing.assert_allclose(found[:2], tangents[:2], rtol=1e-5)
        # Far out, 1e-7 cosh² r is no longer small.
        assert np.isfinite(found).all()
        assert np.linalg.norm(found[2]) <= 12.001
    nothing = hyperboloid.midpoint(ops.zeros((2, DIM + 1)), ops.zeros((2, 1)))
    assert not ops.convert_to_numpy(nothing).any()
    for gradient in gradients(
        hyperboloid.midpoint,
        np.zeros((2, DIM + 1), "float32"),
        np.zeros((2, 1), "float32"),
        mode=QUICKEST,
    ):
        assert np.isfinite(gradient).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_computed_in_float32(dtype):
    x, y = (
        ops.cast(directions(2, seed).astype("float32"), dtype)
        for seed in (0, 1)
    )
    found = hyperboloid.distance(x, y)
    assert keras.backend.standardize_dtype(found.dtype) == "float32"
