"""WideConvolution: the layer contract, all windows in NumPy, padding."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import MaxOverTime
from keras_qa.layers import WideConvolution
from support.layer_checks import check_layer
from support.layer_checks import one_compiled
from support.layer_checks import run
from support.text_reference import wide_convolution

WORDS = np.random.default_rng(0).normal(size=(3, 5, 2)).astype("float32")
LENGTHS = np.array([5, 3, 0])
MASK = np.arange(5) < LENGTHS[:, None]


def test_layer_contract():
    # Keras's own weights, and no bias: equation 8.
    check_layer(
        WideConvolution,
        {"filters": 4, "kernel_size": 3},
        WORDS,
        (3, 7, 4),
        trainable_weights=1,
    )
    assert WideConvolution(4, 3).compute_output_shape((2, None, 9)) == (
        2,
        None,
        4,
    )


@pytest.mark.parametrize(
    ("kernel_size", "mode"), one_compiled([(3,), (1,), (2,)])
)
def test_every_window_with_a_word(kernel_size, mode):
    layer = WideConvolution(
        4, kernel_size, use_bias=True, bias_initializer="ones"
    )
    layer.build((None, None, 2))

    def windows(words, mask):
        return layer(words, mask=mask), layer.compute_mask(words, mask)

    output, mask = run(windows, WORDS, MASK, mode=mode)
    assert output.shape == (3, 5 + kernel_size - 1, 4)
    kernel = ops.convert_to_numpy(layer.kernel)
    for row, length in enumerate(LENGTHS):
        count = length + kernel_size - 1 if length else 0
        expected = np.arange(output.shape[1]) < count
        np.testing.assert_array_equal(mask[row], expected)
        if length:
            np.testing.assert_allclose(
                output[row, :count],
                np.tanh(wide_convolution(WORDS[row, :length], kernel, 1.0)),
                rtol=1e-4,
                atol=1e-6,
            )


def test_the_mask_reaches_the_maximum_also_of_negative_features():
    # In every window of a text the features are negative, in those of its
    # padding 0.
    words = np.abs(WORDS)
    kernel = keras.initializers.Constant(-1)
    model = keras.Sequential(
        [
            keras.layers.Masking(),
            WideConvolution(4, 2, kernel_initializer=kernel),
            MaxOverTime(),
        ]
    )
    output = model(np.where(MASK[:, :, None], words, 0))
    output = ops.convert_to_numpy(output)
    for row in (0, 1):
        text = words[row, : LENGTHS[row]]
        expected = np.tanh(wide_convolution(text, -np.ones((2, 2, 4))))
        assert (expected < 0).all()
        np.testing.assert_allclose(output[row], expected.max(0), rtol=1e-5)
    np.testing.assert_array_equal(output[2], 0)


def test_without_a_mask_all_positions_are_words():
    assert WideConvolution(4, 3).compute_mask(WORDS) is None
