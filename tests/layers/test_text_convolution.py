"""TextConvolution: the layer contract, windows in NumPy, and padding."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import TextConvolution
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

WORDS = np.random.default_rng(0).normal(size=(3, 5, 2)).astype("float32")
LENGTHS = np.array([5, 3, 0])
MASK = np.arange(5) < LENGTHS[:, None]


def test_layer_contract():
    check_layer(
        TextConvolution,
        {"filters": 4, "kernel_size": 3, "activation": "relu"},
        WORDS,
        (3, 5, 4),
        trainable_weights=2,
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kernel_size", [1, 2, 3])
def test_windows_end_where_the_text_ends(kernel_size, mode):
    layer = TextConvolution(4, kernel_size, bias_initializer="ones")
    layer.build((None, None, 2))
    output = run(lambda x, m: layer(x, mask=m), WORDS, MASK, mode=mode)
    kernel = ops.convert_to_numpy(layer.kernel)
    before = (kernel_size - 1) // 2
    for row, length in enumerate(LENGTHS):
        text = np.pad(WORDS[row, :length], ((before, kernel_size), (0, 0)))
        for i in range(length):
            window = text[i : i + kernel_size]
            expected = np.einsum("kd,kdf->f", window, kernel) + 1
            np.testing.assert_allclose(
                output[row, i], expected, rtol=1e-4, atol=1e-5
            )


def test_passes_the_mask_on():
    assert TextConvolution(4, 3).compute_mask(WORDS, MASK) is MASK
