"""BidirectionalStack: contract, equations, independence, padding, dropout."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import BidirectionalStack
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import quick_call
from support.layer_checks import run
from support.text_reference import lstm

TEXTS = np.random.default_rng(0).normal(size=(3, 4, 3)).astype("float32")
MASK = np.arange(4) < np.array([3, 4, 0])[:, None]


def _layer(layers=2, **settings):
    """A built layer with random weights."""
    layer = BidirectionalStack(2, layers, **settings)
    layer.build(TEXTS.shape)
    rng = np.random.default_rng(1)
    for weight in layer.weights:
        weight.assign(rng.normal(size=weight.shape))
    return layer


def _call(layer, texts=TEXTS, mask=MASK, mode=QUICKEST):
    return run(lambda x, m: layer(x, mask=m), texts, mask, mode=mode)


def _expected(layer, text):
    """States of one unpadded text by NumPy loops."""
    sides = []
    for lstms, step in ((layer.forward_layers, 1), (layer.backward_layers, -1)):
        states = text.astype(float)[::step]
        for one in lstms:
            states = lstm(states, *map(ops.convert_to_numpy, one.weights))
        sides.append(states[::step])
    return np.concatenate(sides, axis=1)


def test_layer_contract():
    check_layer(
        BidirectionalStack,
        {"units": 2, "initializer_range": 0.5},
        TEXTS,
        (3, 4, 4),
        trainable_weights=12,
    )


@pytest.mark.parametrize(
    ("layers", "mode"), [(1, QUICKEST), *((2, mode) for mode in MODES)]
)
def test_the_equations(layers, mode):
    layer = _layer(layers)
    states = _call(layer, mode=mode)
    for row, words in enumerate(MASK):
        expected = _expected(layer, TEXTS[row, words])
        np.testing.assert_allclose(
            states[row, words], expected, rtol=1e-4, atol=1e-6
        )
    assert (states[~MASK] == 0).all()
    ends = ops.convert_to_numpy(layer.final(states, MASK))
    np.testing.assert_array_equal(ends[0, :2], states[0, 2, :2])
    np.testing.assert_array_equal(ends[:2, 2:], states[:2, 0, 2:])
    np.testing.assert_array_equal(ends[2], 0)


@pytest.mark.once
def test_no_direction_knows_what_the_other_read():
    layer, mask = _layer(), np.ones((1, 4), bool)
    before = _call(layer, TEXTS[:1], mask)
    for place in range(4):
        texts = TEXTS[:1].copy()
        texts[0, place] += 1
        moved = (_call(layer, texts, mask) != before)[0]
        reached = np.arange(4) >= place
        np.testing.assert_array_equal(moved[:, :2].any(1), reached)
        reached = np.arange(4) <= place
        np.testing.assert_array_equal(moved[:, 2:].any(1), reached)


def test_padding_changes_nothing():
    layer, around = _layer(), ((0, 0), (2, 3))
    wide = np.pad(TEXTS, (*around, (0, 0)), constant_values=50)
    found = _call(layer, wide, np.pad(MASK, around))[:, 2:-3]
    np.testing.assert_allclose(found, _call(layer), rtol=1e-5, atol=1e-7)


@pytest.mark.once
def test_mask_comes_from_the_embedding_and_goes_on():
    inputs = keras.Input((None,), dtype="int32")
    states = BidirectionalStack(2)(
        keras.layers.Embedding(9, 3, mask_zero=True)(inputs)
    )
    model = keras.Model(
        inputs, [states, keras.layers.GlobalAveragePooling1D()(states)]
    )
    ids = np.array([[5, 7, 0, 0]], "int32")
    states, mean = (x[0] for x in model.predict(ids, verbose=0))
    np.testing.assert_array_equal(states[2:], 0)
    np.testing.assert_allclose(mean, states[:2].mean(0), rtol=1e-5)


@pytest.mark.once
def test_starts_uniform_biases_too_and_no_two_weights_alike():
    keras.utils.set_random_seed(0)
    layer = BidirectionalStack(8, initializer_range=0.05)
    layer.build((None, None, 8))
    values = [ops.convert_to_numpy(w).ravel() for w in layer.weights]
    for value in values:
        assert np.abs(value).max() <= 0.05
        assert np.std(value) == pytest.approx(0.05 / 3**0.5, rel=0.3)
    assert len({value[0] for value in values}) == len(values) == 12
    usual = BidirectionalStack(8, 1, initializer_range=None)
    usual.build((None, None, 8))
    bias = ops.convert_to_numpy(usual.forward_layers[0].weights[2])
    np.testing.assert_array_equal(bias, np.repeat([0, 1, 0, 0], 8))


@pytest.mark.once
def test_parameters_of_the_paper():
    layer = BidirectionalStack(100)
    layer.build((None, None, 100))
    # Two directions of two layers with four gates.
    assert layer.count_params() == 2 * 2 * 4 * (100 * 100 + 100 * 100 + 100)


def test_drops_what_each_lstm_reads_in_training_alone():
    keras.utils.set_random_seed(0)
    layer = _layer(dropout=0.5)
    calm = ops.convert_to_numpy(quick_call(layer, TEXTS, training=False))
    np.testing.assert_array_equal(
        calm, ops.convert_to_numpy(quick_call(_layer(), TEXTS))
    )
    dropped = ops.convert_to_numpy(quick_call(layer, TEXTS, training=True))
    assert (dropped != calm).any(axis=(1, 2)).all()
    # With nothing left of its inputs, an LSTM sees its bias alone.
    inputs = [ops.zeros_like(TEXTS), TEXTS]
    blind = _layer(1, dropout=1.0)
    none, some = (quick_call(blind, x, training=True) for x in inputs)
    np.testing.assert_array_equal(*map(ops.convert_to_numpy, (none, some)))


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dropout": 2.0}, r"rate.*2.0"),
        ({"initializer_range": 0}, r"`initializer_range` must .*range=0"),
        ({"layers": 0}, r"`layers` must be a positive .*layers=0"),
        ({"units": 0}, r"`units` must be a positive .*units=0"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        BidirectionalStack(**{"units": 2, **settings})
