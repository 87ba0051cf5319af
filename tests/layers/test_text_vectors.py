"""TextVectors: the layer contract, and the vectors it finds."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import TextVectors
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

VECTORS = np.random.default_rng(0).normal(size=(4, 3, 2)).astype("float32")
ROWS = np.array([[2], [0]], dtype="int32")


def _ids(length):
    return np.ones((2, length), dtype="int32")


def test_layer_contract():
    inputs = [ROWS, _ids(5)]
    found = check_layer(
        TextVectors, {"vectors": VECTORS}, inputs, (2, 5, 2), 0, 1
    )
    np.testing.assert_array_equal(found[:, :3], VECTORS[[2, 0]])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", [1, 3, 7])
def test_cut_or_filled_up_to_the_length_of_the_text(length, mode):
    layer = TextVectors(VECTORS)
    found = run(lambda r, i: layer([r, i]), ROWS, _ids(length), mode=mode)
    expected = np.pad(VECTORS[[2, 0]], ((0, 0), (0, 4), (0, 0)))[:, :length]
    np.testing.assert_array_equal(found, expected)


def test_a_shape_stands_for_zeros():
    assert (ops.convert_to_numpy(TextVectors((4, 3, 2)).vectors) == 0).all()


@pytest.mark.parametrize("vectors", [(4, 3), np.zeros((4, 3))])
def test_rejects_other_shapes(vectors):
    with pytest.raises(ValueError, match=r"`vectors` must .* shape=\(4, 3\)"):
        TextVectors(vectors)
