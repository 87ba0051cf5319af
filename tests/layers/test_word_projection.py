"""WordProjection: the layer contract, and eq. 1 in NumPy."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import WordProjection
from support.layer_checks import check_layer


def _inputs(*shape):
    return np.random.default_rng(0).normal(size=shape).astype("float32")


@pytest.mark.parametrize("num_layers", [1, 3])
def test_layer_contract(num_layers):
    check_layer(
        WordProjection,
        {
            "units": 4,
            "num_layers": num_layers,
            "activation": "tanh",
            "kernel_regularizer": keras.regularizers.L2(0.01),
        },
        _inputs(2, 5, 3),
        (2, 5, 4),
        trainable_weights=2 * num_layers,
    )


def test_equation_1_twice():
    layer = WordProjection(4, num_layers=2)
    inputs = _inputs(2, 5, 3)
    layer.build(inputs.shape)
    for weight in layer.weights:
        weight.assign(_inputs(*weight.shape))
    weights = [ops.convert_to_numpy(w) for w in layer.weights]
    expected = inputs
    for kernel, bias in zip(weights[::2], weights[1::2], strict=True):
        expected = np.maximum(0, expected @ kernel + bias)
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer(inputs)), expected, rtol=1e-5
    )


def test_words_are_projected_alike_in_any_arrangement():
    layer = WordProjection(4)
    inputs = _inputs(2, 5, 3)
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer(inputs)).reshape(10, 4),
        ops.convert_to_numpy(layer(inputs.reshape(10, 3))),
        rtol=1e-6,
    )


def test_dropout_works_in_training_only():
    layer = WordProjection(4, dropout=0.5)
    inputs = _inputs(2, 5, 3)
    default, resting, training = (
        ops.convert_to_numpy(layer(inputs, training=training))
        for training in (None, False, True)
    )
    np.testing.assert_array_equal(default, resting)
    assert (training != resting).any()


@pytest.mark.once
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"units": 0}, "`units` must be a positive.*Received: units=0"),
        (
            {"units": 2, "num_layers": 0},
            "`num_layers` must be a positive.*Received: num_layers=0",
        ),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        WordProjection(**arguments)
