"""GatedConvolution and MaxOverWindows: the layers of ARC-I."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import GatedConvolution
from keras_qa.layers import MaxOverWindows
from support.layer_checks import check_layer
from support.layer_checks import one_compiled
from support.layer_checks import run
from support.siamese_reference import gated_convolution
from support.siamese_reference import max_over_windows

WORDS = np.random.default_rng(0).normal(size=(4, 5, 2)).astype("float32")
LENGTHS = np.array([5, 3, 1, 0])
MASK = np.arange(5) < LENGTHS[:, None]


# That of the check's own layer, which reads outputs as they are.
@pytest.mark.filterwarnings("ignore:Layer 'flatten")
def test_layer_contracts():
    arguments = {"filters": 4, "kernel_size": 3}
    check_layer(
        GatedConvolution, arguments, WORDS, (4, 5, 4), trainable_weights=2
    )
    check_layer(MaxOverWindows, {"pool_size": 3}, WORDS, (4, 2, 2))


@pytest.mark.parametrize(("size", "mode"), one_compiled([(3,), (1,)]))
def test_every_window_from_a_word_on(size, mode):
    layer = GatedConvolution(4, size, "tanh")
    layer.build((None, None, 2))
    rng = np.random.default_rng(size)
    weights = [rng.normal(size=weight.shape) for weight in layer.weights]
    layer.set_weights(weights)
    output = run(
        lambda words, mask: layer(words, mask=mask), WORDS, MASK, mode=mode
    )
    for row, length in enumerate(LENGTHS):
        expected = gated_convolution(WORDS[row, :length], *weights, np.tanh)
        np.testing.assert_allclose(output[row, :length], expected, atol=1e-5)
        np.testing.assert_array_equal(output[row, length:], 0)


@pytest.mark.once
def test_the_gate_closes_at_zeros_without_a_mask():
    layer = GatedConvolution(4, 2, "sigmoid")
    words = np.zeros((1, 5, 2), "float32")
    words[0, 2] = -1
    output = ops.convert_to_numpy(layer(words))[0]
    np.testing.assert_array_equal((output != 0).all(1), [0, 1, 1, 0, 0])
    np.testing.assert_array_equal((output == 0).all(1), [1, 0, 0, 1, 1])


@pytest.mark.parametrize(("size", "mode"), one_compiled([(3,), (1,), (2,)]))
def test_every_window_of_neighbours(size, mode):
    layer = MaxOverWindows(size)
    # Negative, so that zeros would be larger.
    words = -np.abs(WORDS)
    output, mask = run(
        lambda x, m: (layer(x, mask=m), layer.compute_mask(x, m)),
        words,
        MASK,
        mode=mode,
    )
    for row, length in enumerate(LENGTHS):
        expected = max_over_windows(words[row, :length], size)
        count = len(expected)
        np.testing.assert_array_equal(
            mask[row], np.arange(len(mask[0])) < count
        )
        if count:
            np.testing.assert_array_equal(output[row, :count], expected)
        np.testing.assert_array_equal(output[row, count:], 0)
    assert layer.compute_mask(words) is None
