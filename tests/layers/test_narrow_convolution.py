"""NarrowConvolution and PerDimensionConvolution: windows within a text."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import NarrowConvolution
from keras_qa.layers import PerDimensionConvolution
from support.convolutional_reference import narrow_convolution
from support.convolutional_reference import per_dimension_convolution
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

WORDS = np.random.default_rng(0).normal(size=(4, 5, 2)).astype("float32")
LENGTHS = np.array([5, 3, 1, 0])
MASK = np.arange(5) < LENGTHS[:, None]
REFERENCES = {
    NarrowConvolution: narrow_convolution,
    PerDimensionConvolution: per_dimension_convolution,
}


# That of the check's own layer, which reads outputs as they are.
@pytest.mark.filterwarnings("ignore:Layer 'flatten")
@pytest.mark.parametrize(
    ("layer_class", "size"),
    [(NarrowConvolution, 4), (PerDimensionConvolution, 8)],
)
def test_layer_contract(layer_class, size):
    arguments = {"filters": 4, "kernel_size": 3}
    check_layer(
        layer_class, arguments, WORDS, (4, 5, size), trainable_weights=2
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("layer_class", REFERENCES)
def test_every_window_within_a_text(layer_class, size, mode):
    layer = layer_class(4, size)
    layer.build((None, None, 2))
    rng = np.random.default_rng(size)
    weights = [rng.normal(size=weight.shape) for weight in layer.weights]
    layer.set_weights(weights)

    def windows(words, mask):
        return layer(words, mask=mask), layer.compute_mask(words, mask)

    output, mask = run(windows, WORDS, MASK, mode=mode)
    for row, length in enumerate(LENGTHS):
        count = max(length - size + 1, 1) if length else 0
        np.testing.assert_array_equal(mask[row], np.arange(5) < count)
        if length:
            words = WORDS[row, :length]
            expected = REFERENCES[layer_class](words, *weights)
            np.testing.assert_allclose(
                output[row, :count], expected.reshape(count, -1), atol=1e-5
            )


@pytest.mark.once
def test_without_a_mask_all_positions_are_words():
    for layer_class in REFERENCES:
        mask = layer_class(4, 2).compute_mask(WORDS)
        expected = np.tile([True, True, True, True, False], (4, 1))
        np.testing.assert_array_equal(ops.convert_to_numpy(mask), expected)


@pytest.mark.once
def test_windows_begin_at_words_where_padding_comes_first():
    mask = np.array([[False, True, True, True], [False, False, True, False]])
    found = NarrowConvolution(4, 2).compute_mask(WORDS[:2, :4], mask)
    expected = [[False, True, True, False], [False, False, True, False]]
    np.testing.assert_array_equal(ops.convert_to_numpy(found), expected)
