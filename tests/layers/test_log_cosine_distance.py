"""LogCosineDistance: the layer contract, the derivation, hard inputs."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import LogCosineDistance
from keras_qa.layers import PoincareDistance
from support.layer_checks import check_layer
from support.layer_checks import gradients

RNG = np.random.default_rng(0)


def test_layer_contract():
    q, a = RNG.normal(size=(2, 4, 3)).astype("float32")
    norms = np.linalg.norm(q, axis=1) * np.linalg.norm(a, axis=1)
    output = check_layer(LogCosineDistance, {"epsilon": 1e-3}, [q, a], (4, 1))
    expected = np.log(2 - 2 * (q * a).sum(1) / norms + 1e-3)
    np.testing.assert_allclose(output[:, 0], expected, rtol=1e-4)


def test_the_distance_of_the_ball_on_a_sphere_but_for_a_constant():
    radius = 0.999
    q, a = RNG.normal(size=(2, 50, 4))
    q, a = (
        (radius * x / np.linalg.norm(x, axis=1, keepdims=True)).astype(
            "float32"
        )
        for x in (q, a)
    )
    ball, logarithm = (
        ops.convert_to_numpy(layer([q, a]))[:, 0]
        for layer in (PoincareDistance(), LogCosineDistance(1e-12))
    )
    constant = np.log(4 * radius**2 / (1 - radius**2) ** 2)
    np.testing.assert_allclose(ball - logarithm, constant, atol=1e-3)


def test_equal_and_zero_vectors():
    q = np.array([[3, 4], [0, 0], [0, 0]], "float32")
    a = np.array([[6, 8], [1, 2], [0, 0]], "float32")
    layer = LogCosineDistance()
    found = ops.convert_to_numpy(layer([q, a]))[:, 0]
    np.testing.assert_allclose(found, np.log([1e-6, 1, 1e-6]), atol=1e-4)
    for gradient in gradients(lambda *pair: layer(list(pair)), q, a):
        assert np.isfinite(gradient).all()


def test_errors():
    with pytest.raises(ValueError, match="`epsilon` must be positive"):
        LogCosineDistance(0)
