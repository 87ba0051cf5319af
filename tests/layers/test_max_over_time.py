"""MaxOverTime and MinOverTime: the layer contract, masks, no words."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import MaxOverTime
from keras_qa.layers import MinOverTime
from support.layer_checks import check_layer
from support.layer_checks import gradients

WORDS = -1 - np.random.default_rng(0).random((4, 3, 2)).astype("float32")
MASK = np.array(
    [[True] * 3, [True, True, False], [False] * 3, [False, True, False]]
)


def test_layer_contract():
    output = check_layer(MaxOverTime, {}, WORDS, (4, 2))
    np.testing.assert_array_equal(output, WORDS.max(1))


@pytest.mark.parametrize("dtype", ["float32", "mixed_float16"])
def test_padding_is_no_floor_under_negative_features(dtype):
    output = ops.convert_to_numpy(
        ops.cast(MaxOverTime(dtype=dtype)(WORDS, mask=MASK), "float32")
    )
    for row in (0, 1, 3):
        np.testing.assert_allclose(
            output[row], WORDS[row, MASK[row]].max(0), rtol=1e-3
        )
    np.testing.assert_array_equal(output[2], 0)


def test_gradients_go_to_the_largest_word_alone():
    layer = MaxOverTime()
    (gradient,) = gradients(lambda x: layer(x, mask=MASK), WORDS)
    largest = np.where(MASK[:, :, None], WORDS, -np.inf)
    expected = (largest == largest.max(1, keepdims=True)) & MASK[:, :, None]
    np.testing.assert_array_equal(gradient, expected)


def test_the_minimum_is_not_that_of_padding():
    output = check_layer(MinOverTime, {}, -WORDS, (4, 2))
    np.testing.assert_array_equal(output, -WORDS.max(1))
    output = ops.convert_to_numpy(MinOverTime()(-WORDS, mask=MASK))
    for row in (0, 1, 3):
        np.testing.assert_array_equal(
            output[row], -WORDS[row, MASK[row]].max(0)
        )
    np.testing.assert_array_equal(output[2], 0)
