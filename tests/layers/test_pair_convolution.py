"""PairConvolution against loops over pairs of windows."""

import numpy as np
import pytest

from keras_qa.layers import PairConvolution
from support import grids_reference as reference
from support.layer_checks import COMPILED
from support.layer_checks import check_layer
from support.pair_texts import ANSWERED
from support.pair_texts import ASKED
from support.pair_texts import PAIR
from support.pair_texts import call
from support.pair_texts import filled
from support.pair_texts import weights_of


def test_layer_contract():
    check_layer(
        PairConvolution,
        {"filters": 2, "kernel_size": 3, "kernel_regularizer": "l2"},
        PAIR,
        (4, 5, 4, 2),
        trainable_weights=2,
    )


@pytest.mark.parametrize("mode", COMPILED)
def test_the_equation(mode):
    layer = filled(PairConvolution(2, 3))
    words = [
        np.where(mask[..., None], text, 0)
        for text, mask in zip(PAIR, (ASKED, ANSWERED), strict=True)
    ]
    expected = [
        reference.pair_convolution(*pair, *weights_of(layer))
        for pair in zip(*words, strict=True)
    ]
    found = call(layer, mode)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    # The gate: a bias, but no word in either window.
    assert (found[3] == 0).all()
    # A window of one text is enough to open it.
    assert found[2, :, 0].any() and not found[2, :, 2:].any()
