"""WindowPooling against loops over windows."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import WideConvolution
from keras_qa.layers import WindowPooling
from support import grids_reference as reference
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.layer_checks import run

RNG = np.random.default_rng(0)
LENGTHS = np.array([5, 3, 0])
SIZE = 3
TEXT = RNG.normal(size=(3, 5 + SIZE - 1, 2)).astype("float32")
WEIGHTS = RNG.uniform(size=TEXT.shape[:2]).astype("float32")
# That of a wide convolution over texts of these lengths.
WIDE = np.where(LENGTHS > 0, LENGTHS + SIZE - 1, 0)
MASK = np.arange(TEXT.shape[1]) < WIDE[:, None]


def test_layer_contract():
    shapes = [(3, 5, 2), (3, 2)]
    check_layer(WindowPooling, {"kernel_size": SIZE}, TEXT, shapes)
    check_layer(WindowPooling, {"kernel_size": SIZE}, [TEXT, WEIGHTS], shapes)


@pytest.mark.parametrize(
    ("weighted", "mode"), by_turns([(False,), (True,), (False,)])
)
def test_the_equations(weighted, mode):
    layer = WindowPooling(SIZE)
    weights = WEIGHTS * MASK

    def pooled(x, a, mask):
        inputs, masks = ([x, a], [mask, None]) if weighted else (x, mask)
        return layer(inputs, mask=masks)

    windows, whole = run(pooled, TEXT, weights, MASK, mode=mode)
    for row in (0, 1):
        words = TEXT[row, : WIDE[row]]
        expected = reference.window_pooling(
            words, SIZE, weights[row, : WIDE[row]] if weighted else None
        )
        np.testing.assert_allclose(
            windows[row, : LENGTHS[row]], expected[0], rtol=1e-5, atol=1e-6
        )
        np.testing.assert_allclose(whole[row], expected[1], rtol=1e-5)
    assert (whole[2] == 0).all() and (windows[2] == 0).all()


def test_the_mask_is_that_before_the_wide_convolution():
    mask = np.arange(5) < LENGTHS[:, None]
    text = ops.zeros((3, 5, 2))
    wide = WideConvolution(2, SIZE).compute_mask(text, mask)
    np.testing.assert_array_equal(ops.convert_to_numpy(wide), MASK)
    layer = WindowPooling(SIZE)
    for inputs, given in ((TEXT, wide), ([TEXT, WEIGHTS], [wide, None])):
        windows, whole = layer.compute_mask(inputs, given)
        np.testing.assert_array_equal(ops.convert_to_numpy(windows), mask)
        assert whole is None


@pytest.mark.once
def test_the_weights_may_be_missing_in_a_list():
    layer = WindowPooling(SIZE)
    given = layer([TEXT], mask=[MASK]), layer(TEXT, mask=MASK)
    for output, alone in zip(*given, strict=True):
        pair = map(ops.convert_to_numpy, (output, alone))
        np.testing.assert_array_equal(*pair)
