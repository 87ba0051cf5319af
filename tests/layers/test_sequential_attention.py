"""SequentialAttention against loops over the words of a text."""

import numpy as np
import pytest

from keras_qa.layers import SequentialAttention
from support.layer_checks import COMPILED
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import run
from support.memory_reference import sequential_attention
from support.pair_texts import ASKED
from support.pair_texts import QUESTION
from support.pair_texts import filled
from support.pair_texts import weights_of

QUERY = np.random.default_rng(3).normal(size=(4, 3)).astype("float32")


@pytest.fixture(scope="module")
def layer():
    return filled(SequentialAttention(2), [QUERY.shape, QUESTION.shape])


def test_layer_contract():
    check_layer(
        SequentialAttention,
        {"units": 2},
        [QUERY, QUESTION],
        (4, 3),
        trainable_weights=6,
    )


def test_the_equations(layer):
    found = run(
        lambda q, x: layer([q, x], mask=[None, ASKED]),
        *(QUERY, QUESTION),
        mode=COMPILED[-1],
    )
    for row in range(2):
        states = QUESTION[row][ASKED[row]]
        weights = weights_of(layer)
        expected = sequential_attention(QUERY[row], states, weights)
        np.testing.assert_allclose(found[row], expected, rtol=1e-4)
    assert (found[2:] == 0).all()


def test_gradients_are_zero_at_padding(layer):
    _, gradient = gradients(
        lambda q, x: layer([q, x], mask=[None, ASKED]),
        *(QUERY, QUESTION),
        mode=QUICKEST,
    )
    assert np.isfinite(gradient).all() and gradient[:2].any()
    assert (gradient[~ASKED] == 0).all()
