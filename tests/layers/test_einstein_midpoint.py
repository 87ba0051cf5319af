"""LorentzPoints and EinsteinMidpoint: contracts, and a midpoint by hand."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import BagOfWords
from keras_qa.layers import EinsteinMidpoint
from keras_qa.layers import LorentzPoints
from support.layer_checks import check_layer


def _words():
    return np.random.default_rng(0).normal(size=(4, 5, 3)).astype("float32")


@pytest.mark.parametrize(
    ("trainable_scale", "counts"), [(True, (1, 0)), (False, (0, 1))]
)
def test_points_of_words(trainable_scale, counts):
    arguments = {"scale": 0.5, "trainable_scale": trainable_scale}
    words = _words()
    output = check_layer(LorentzPoints, arguments, words, (4, 5, 5), *counts)
    radius = np.linalg.norm(words, axis=-1)
    np.testing.assert_array_equal(output[..., 0], 1)
    np.testing.assert_allclose(output[..., 1], np.cosh(radius), rtol=1e-5)
    np.testing.assert_allclose(
        output[..., 2:],
        (np.sinh(radius) / radius)[..., None] * words,
        rtol=1e-5,
        atol=1e-6,
    )


@pytest.mark.parametrize("pooling", ["sum", "mean"])
def test_midpoints_of_texts(pooling):
    words, mask = _words(), np.ones((4, 5), bool)
    mask[1, 2:], mask[2, 1:], mask[3] = False, False, False
    rows = BagOfWords(pooling)(LorentzPoints(0.5)(words), mask=mask)
    output = check_layer(
        EinsteinMidpoint, {}, ops.convert_to_numpy(rows), (4, 3)
    )
    for i, kept in enumerate(mask[:3]):
        own = words[i][kept].astype("float64")
        radius = np.linalg.norm(own, axis=1, keepdims=True)
        factor = np.cosh(radius)
        middle = np.sum(factor * np.tanh(radius) * own / radius, 0) / sum(
            factor
        )
        norm = np.linalg.norm(middle)
        expected = np.arctanh(norm) * middle / norm
        np.testing.assert_allclose(output[i], expected, rtol=1e-4, atol=1e-6)
    # One word is its own midpoint; no word, the origin.
    np.testing.assert_allclose(output[2], words[2, 0], rtol=1e-4)
    assert not output[3].any()


def test_far_points_in_half_precision():
    words = np.full((2, 3, 4), 30, "float32")
    layers = LorentzPoints(0.5), BagOfWords("sum"), EinsteinMidpoint()
    policy = "mixed_float16"
    single = half = words
    for layer in layers:
        single = layer(single)
        precise = isinstance(layer, BagOfWords)
        config = {**layer.get_config(), "dtype": None if precise else policy}
        half = type(layer).from_config(config)(half)
        assert keras.backend.standardize_dtype(half.dtype) == "float32"
    np.testing.assert_array_equal(*map(ops.convert_to_numpy, (single, half)))


@pytest.mark.once
def test_errors():
    message = "`scale` must be positive. Received: scale=0"
    with pytest.raises(ValueError, match=message):
        LorentzPoints(scale=0)
