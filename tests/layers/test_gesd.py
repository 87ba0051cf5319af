"""GESD: the layer contract, values by hand, equal vectors."""

import math

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import GESD
from support.layer_checks import check_layer
from support.layer_checks import gradients


def test_layer_contract():
    gamma, c = 0.5, -2.0
    rng = np.random.default_rng(0)
    q, a = rng.normal(size=(2, 4, 3)).astype("float32")
    output = check_layer(GESD, {"gamma": gamma, "c": c}, [q, a], (4, 1))
    for row in range(4):
        distance = math.sqrt(sum((q[row] - a[row]) ** 2))
        exponential = math.exp(-gamma * (sum(q[row] * a[row]) + c))
        expected = 1 / (1 + distance) * 1 / (1 + exponential)
        assert output[row, 0] == pytest.approx(expected, rel=1e-5)


def test_hand_computed_values():
    # Distance 5 and product 0; the same vector, of squared norm 4; and a
    # product whose exponential is infinite in float32.
    q = np.array([[3, 0], [2, 0], [20, 0]], "float32")
    a = np.array([[0, 4], [2, 0], [-20, 0]], "float32")
    output = ops.convert_to_numpy(GESD()([q, a]))[:, 0]
    sigmoid = [1 / (1 + math.exp(-x)) for x in (1, 5)]
    expected = [sigmoid[0] / 6, sigmoid[1], 0]
    np.testing.assert_allclose(output, expected, rtol=2e-6, atol=1e-30)


def test_gradients_are_finite_where_the_distance_has_none():
    q = np.array([[1, 2], [0, 0], [1e-20, 0]], "float32")
    layer = GESD()
    found = gradients(lambda *pair: layer(list(pair)), q, q)
    for gradient in found:
        assert np.isfinite(gradient).all()
    # Only the sigmoid is left: s (1 - s) a at s = sigmoid(|q|^2 + 1).
    s = 1 / (1 + math.exp(-6))
    np.testing.assert_allclose(found[0][0], s * (1 - s) * q[0], rtol=1e-3)


def test_rejects_a_factor_that_turns_the_order_round():
    with pytest.raises(ValueError, match=r"`gamma` must be .* gamma=-1"):
        GESD(gamma=-1)
