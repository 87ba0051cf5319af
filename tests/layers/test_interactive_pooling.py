"""InteractivePooling against the whole tensor of products."""

import numpy as np
import pytest

from keras_qa.layers import InteractivePooling
from support import grids_reference as reference
from support.layer_checks import QUICKEST
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.pair_texts import ANSWERED
from support.pair_texts import ASKED
from support.pair_texts import PAIR
from support.pair_texts import PAIRS_OF_WORDS
from support.pair_texts import call
from support.pair_texts import filled
from support.pair_texts import weights_of


def test_layer_contract():
    check_layer(
        InteractivePooling,
        {"units": 2},
        PAIR,
        [(4, 3), (4, 3)],
        trainable_weights=3,
    )


@pytest.mark.parametrize(("units", "mode"), by_turns([(None,), (6,)]))
def test_the_equations(units, mode):
    layer = filled(InteractivePooling(units))
    found = call(layer, mode, return_attention_scores=True)
    for row in (0, 1):
        expected = reference.interactive_pooling(
            *PAIRS_OF_WORDS[row], *weights_of(layer)
        )
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_allclose(x[row, : len(y)], y, rtol=1e-4)
            assert (x[row, len(y) :] == 0).all()
    for vectors in found[:2]:
        assert (vectors[2:] == 0).all()


def test_gradients_are_finite_and_zero_at_padding():
    layer = filled(InteractivePooling())
    found = gradients(
        lambda q, a: sum(layer([q, a], mask=[ASKED, ANSWERED])),
        *PAIR,
        mode=QUICKEST,
    )
    for gradient, mask in zip(found, (ASKED, ANSWERED), strict=True):
        assert np.isfinite(gradient).all() and gradient[:2].any()
        assert (gradient[~mask] == 0).all()
