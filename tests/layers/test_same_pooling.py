"""Pooling with stride 1: values by hand, Keras's own, and padding."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers.ngram_dense_block import NGramDenseBlock
from keras_qa.layers.ngram_dense_block import same_pooling
from support.layer_checks import MODES
from support.layer_checks import gradients
from support.layer_checks import run
from support.mrnn_reference import pooled

X = np.array([[-5.0, -2.0, -3.0, -9.0, 1.0]], "float32")[..., None]
MASK = np.array([[True, True, False, True, True]])


def _pool(x, mask, **settings):
    return ops.convert_to_numpy(same_pooling(x, mask, **settings))[0, :, 0]


@pytest.mark.once
def test_windows_start_at_their_position_for_size_2():
    found = _pool(X, None)
    np.testing.assert_array_equal(found, [-2, -2, -3, 1, 1])
    found = _pool(X, None, pooling="avg")
    np.testing.assert_array_equal(found, [-3.5, -2.5, -6, -4, 1])


def test_padding_neither_wins_nor_counts():
    found = _pool(X, MASK)
    np.testing.assert_array_equal(found, [-2, -2, 0, 1, 1])
    found = _pool(X, MASK, pooling="avg")
    np.testing.assert_array_equal(found, [-3.5, -2, 0, -4, 1])
    np.testing.assert_array_equal(
        _pool(X, MASK, pooling=None), [-5, -2, 0, -9, 1]
    )


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("pooling", ["avg", "max"])
def test_as_numpy_and_as_keras_on_whole_texts(size, pooling):
    x = np.random.default_rng(0).normal(size=(1, 6, 1)).astype("float32")
    found = _pool(x, None, size=size, pooling=pooling)
    np.testing.assert_allclose(
        found, pooled(x[0], size, pooling)[:, 0], rtol=1e-5
    )
    if keras.backend.backend() == "tensorflow":
        layer = {
            "avg": keras.layers.AveragePooling1D,
            "max": keras.layers.MaxPooling1D,
        }[pooling](size, strides=1, padding="same")
        np.testing.assert_allclose(
            found, ops.convert_to_numpy(layer(x))[0, :, 0], rtol=1e-5
        )


@pytest.mark.parametrize("mode", MODES)
def test_gradients_go_to_words_alone(mode):
    (found,) = gradients(lambda x: same_pooling(x, MASK), X, mode=mode)
    # -2 wins twice, and 1 twice.
    np.testing.assert_array_equal(found[0, :, 0], [0, 2, 0, 0, 2])


def test_texts_without_words_become_zero():
    empty = np.zeros_like(MASK)
    for pooling in ("avg", "max"):
        found = run(lambda x, p=pooling: same_pooling(x, empty, pooling=p), X)
        np.testing.assert_array_equal(found, 0)


def test_rejects_other_poolings():
    with pytest.raises(ValueError, match=r"`pooling` must be .* pooling='sum'"):
        NGramDenseBlock(3, 2, pooling="sum")
