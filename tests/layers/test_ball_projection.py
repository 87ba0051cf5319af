"""BallProjection: the layer contract, and both maps in NumPy."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import BallProjection
from support.layer_checks import check_layer
from support.layer_checks import gradients


def _vectors():
    """Eight vectors with norms from 1e-6 to 1e6, and the zero vector."""
    x = np.random.default_rng(0).normal(size=(9, 4))
    x *= np.append(np.geomspace(1e-6, 1e6, 8), 0)[:, None] / np.linalg.norm(
        x, axis=1, keepdims=True
    )
    return x.astype("float32")


@pytest.mark.parametrize(
    ("projection", "trainable_scale", "counts"),
    [
        ("clip", True, (0, 0)),
        ("expmap", True, (1, 0)),
        ("expmap", False, (0, 1)),
    ],
)
def test_layer_contract(projection, trainable_scale, counts):
    check_layer(
        BallProjection,
        {
            "projection": projection,
            "epsilon": 0.01,
            "scale": 0.5,
            "trainable_scale": trainable_scale,
        },
        np.random.default_rng(1).normal(size=(5, 3)).astype("float32"),
        (5, 3),
        *counts,
    )


def test_clip():
    x = _vectors()
    norm = np.linalg.norm(x.astype("float64"), axis=1, keepdims=True)
    expected = np.where(norm > 0.999, x * 0.999 / np.maximum(norm, 0.999), x)
    y = ops.convert_to_numpy(BallProjection(epsilon=0.001)(x))
    np.testing.assert_allclose(y, expected, rtol=1e-5)
    np.testing.assert_array_equal(y[:4], x[:4])


def test_exponential_map():
    x = _vectors()
    norm = np.linalg.norm(x.astype("float64"), axis=1, keepdims=True)
    radius = np.minimum(np.tanh(0.2 * norm), 0.999)
    expected = radius * x / np.where(norm > 0, norm, 1)
    layer = BallProjection("expmap", epsilon=0.001, scale=0.2)
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer(x)), expected, rtol=1e-5
    )


def test_exponential_map_keeps_the_order_of_norms():
    x = np.linspace(1, 60, 20, dtype="float32")[:, None]
    y = ops.convert_to_numpy(BallProjection("expmap")(x))
    assert (np.diff(y[:, 0]) > 0).all()


@pytest.mark.parametrize("projection", ["clip", "expmap"])
def test_outputs_lie_in_the_ball_and_gradients_are_finite(projection):
    layer = BallProjection(projection)
    norms = np.linalg.norm(ops.convert_to_numpy(layer(_vectors())), axis=1)
    assert (norms < 1).all()
    (gradient,) = gradients(layer, _vectors())
    assert np.isfinite(gradient).all()
    # Near 0 the clip is the identity, the map a multiplication by the scale.
    expected = {"clip": 1, "expmap": 0.05}[projection]
    np.testing.assert_allclose(gradient[[0, -1]], expected, rtol=1e-4)


@pytest.mark.once
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"projection": "none"}, "`projection`.*Received: projection='none'"),
        ({"epsilon": 0}, "`epsilon` must lie.*Received: epsilon=0"),
        ({"epsilon": 1.5}, "`epsilon` must lie.*Received: epsilon=1.5"),
        ({"scale": -1}, "`scale` must be positive. Received: scale=-1"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        BallProjection(**arguments)
