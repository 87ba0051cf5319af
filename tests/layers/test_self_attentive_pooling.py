"""SelfAttentivePooling against loops over the words of a text."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import SelfAttentivePooling
from support.inner_reference import self_attentive
from support.layer_checks import COMPILED
from support.layer_checks import check_layer
from support.layer_checks import run

STATES = np.random.default_rng(0).normal(size=(3, 4, 3)).astype("float32")
# Padding may stand anywhere.
MASK = np.array([[True] * 4, [False, True, False, True], [False] * 4])


def test_layer_contract():
    check_layer(
        SelfAttentivePooling,
        {"units": 2, "hops": 4},
        STATES,
        (3, 4, 3),
        trainable_weights=2,
    )
    layer = SelfAttentivePooling(kernel_regularizer="l2")
    layer.build(STATES.shape)
    assert [tuple(w.shape) for w in layer.weights] == [(3, 3), (3, 1)]


@pytest.mark.parametrize("mode", COMPILED)
def test_the_equations(mode):
    layer = SelfAttentivePooling(5, hops=2)
    layer.build(STATES.shape)
    rng = np.random.default_rng(1)
    for weight in layer.weights:
        weight.assign(rng.normal(size=weight.shape))
    weights = [ops.convert_to_numpy(w) for w in layer.weights]
    found = run(lambda x, m: layer(x, mask=m), STATES, MASK, mode=mode)
    for means, states, words in zip(found, STATES, MASK, strict=True):
        expected = self_attentive(states[words], *weights)
        np.testing.assert_allclose(means, expected, rtol=1e-4, atol=1e-6)
