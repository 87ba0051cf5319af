"""RelationSum against loops over pairs of words."""

import numpy as np
import pytest

from keras_qa.layers import RelationSum
from support.layer_checks import QUICKEST
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.memory_reference import relation_sum
from support.pair_texts import ANSWERED
from support.pair_texts import ASKED
from support.pair_texts import PAIR
from support.pair_texts import PAIRS_OF_WORDS
from support.pair_texts import call
from support.pair_texts import filled
from support.pair_texts import weights_of


def test_layer_contract():
    check_layer(
        RelationSum,
        {"units": 3, "depth": 2},
        PAIR,
        (4, 3),
        trainable_weights=4,
    )


@pytest.mark.parametrize(("depth", "mode"), by_turns([(1,), (3,)]))
def test_the_equations(depth, mode):
    layer = filled(RelationSum(4, depth))
    weights = weights_of(layer)
    expected = [
        relation_sum(*pair, weights) if all(map(len, pair)) else np.zeros(4)
        for pair in PAIRS_OF_WORDS
    ]
    found = call(layer, mode)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_gradients_are_zero_at_padding():
    layer = filled(RelationSum(4, 2))
    found = gradients(
        lambda q, a: layer([q, a], mask=[ASKED, ANSWERED]), *PAIR, mode=QUICKEST
    )
    for gradient, mask in zip(found, (ASKED, ANSWERED), strict=True):
        assert np.isfinite(gradient).all() and gradient[:2].any()
        assert (gradient[~mask] == 0).all()
