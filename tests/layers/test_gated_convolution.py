"""GatedConvolution2D against loops over cells."""

import numpy as np
import pytest

from keras_qa.layers import GatedConvolution2D
from support import grids_reference as reference
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.layer_checks import run
from support.pair_texts import filled
from support.pair_texts import weights_of

GRID = np.random.default_rng(0).normal(size=(2, 5, 6, 3)).astype("float32")
# The last rows and columns are padding.
GRID[0, 2:] = GRID[0, :, 3:] = 0


def test_layer_contract():
    check_layer(
        GatedConvolution2D,
        {"filters": 2, "kernel_size": 3},
        GRID,
        (2, 5, 6, 2),
        trainable_weights=2,
    )


@pytest.mark.parametrize(("size", "mode"), by_turns([(1,), (2,), (3,)]))
def test_the_equation(size, mode):
    layer = filled(GatedConvolution2D(2, size), GRID.shape)
    found = run(layer, GRID, mode=mode)
    expected = [
        reference.gated_convolution(x, *weights_of(layer)) for x in GRID
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert (found[0, 2:] == 0).all() and (found[0, :, 3:] == 0).all()
