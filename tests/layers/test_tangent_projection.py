"""TangentProjection: the layer contract, and its maps in NumPy."""

import numpy as np
import pytest
from keras import ops

from keras_qa import geometry
from keras_qa.layers import BallProjection
from keras_qa.layers import HyperbolicDistance
from keras_qa.layers import TangentProjection
from support.layer_checks import check_layer
from support.layer_checks import gradients


def _vectors():
    """Vectors with norms from 1e-3 to 1e3, and the zero vector."""
    x = np.random.default_rng(0).normal(size=(7, 4))
    x *= np.append(np.geomspace(1e-3, 1e3, 6), 0)[:, None] / np.linalg.norm(
        x, axis=1, keepdims=True
    )
    return x.astype("float32")


def _call(layer, x):
    return ops.convert_to_numpy(layer(x))


@pytest.mark.parametrize(
    ("arguments", "counts"),
    [
        ({"projection": "lorentz", "scale": 0.5}, (1, 0)),
        ({"projection": "lorentz", "trainable_scale": False}, (0, 1)),
        ({"projection": "sphere", "radius": 2.0}, (1, 0)),
        ({"projection": "radius"}, (3, 0)),
    ],
)
def test_layer_contract(arguments, counts):
    check_layer(
        TangentProjection,
        arguments,
        np.random.default_rng(1).normal(size=(5, 3)).astype("float32"),
        (5, 3),
        *counts,
    )


def test_lorentz_gives_the_points_of_the_exponential_map():
    x = np.random.default_rng(2).normal(size=(2, 5, 3)).astype("float32")
    ball = [BallProjection("expmap", scale=0.7)(v) for v in x]
    tangent = [TangentProjection("lorentz", scale=0.7)(v) for v in x]
    np.testing.assert_allclose(
        ops.convert_to_numpy(HyperbolicDistance()(tangent)),
        ops.convert_to_numpy(geometry.distance(*ball, keepdims=True)),
        rtol=1e-5,
    )


@pytest.mark.once
def test_a_great_radius():
    y = _call(TangentProjection("sphere", radius=800.0), np.array([[3.0, 4.0]]))
    np.testing.assert_allclose(y, [[480, 640]], rtol=1e-6)


@pytest.mark.parametrize("projection", ["sphere", "radius"])
def test_all_points_start_at_one_radius(projection):
    x = _vectors()
    y = _call(TangentProjection(projection, radius=2.5), x)
    np.testing.assert_allclose(np.linalg.norm(y[:-1], axis=1), 2.5, rtol=1e-5)
    assert not y[-1].any()


def test_the_radius_is_that_of_a_sigmoid_in_the_ball():
    layer, x = TangentProjection("radius"), _vectors()[:-1]
    layer(x)
    kernel = np.array([0.3, -0.2, 0.5, 0.1])
    layer.kernel.assign(kernel)
    layer.slope.assign(0.4)
    layer.bias.assign(-1.5)
    norm = np.linalg.norm(x.astype("float64"), axis=1)
    z = x @ kernel / norm + 0.4 * np.log(1 + norm) - 1.5
    radius = 2 * np.arctanh(1 / (1 + np.exp(-z)))
    np.testing.assert_allclose(
        _call(layer, x), radius[:, None] * x / norm[:, None], rtol=1e-5
    )


@pytest.mark.parametrize("projection", ["lorentz", "sphere", "radius"])
def test_gradients_are_finite(projection):
    (gradient,) = gradients(TangentProjection(projection), _vectors())
    assert np.isfinite(gradient).all()


@pytest.mark.once
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"projection": "clip"}, "`projection`.*Received: projection='clip'"),
        ({"scale": 0}, "`scale` must be positive. Received: scale=0"),
        ({"radius": -1}, "`radius` must be positive. Received: radius=-1"),
        ({"radius": np.nan}, "`radius` must be positive. Received: radius=nan"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        TangentProjection(**arguments)
