"""HeadTail: the layer contract, Keras's last states, padding, no words."""

import keras
import numpy as np
import pytest

from keras_qa.layers import HeadTail
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import run

STATES = np.arange(4 * 3 * 4, dtype="float32").reshape(4, 3, 4)
MASK = np.array(
    [[True] * 3, [True, True, False], [False, True, False], [False] * 3]
)


def test_layer_contract():
    output = check_layer(HeadTail, {}, STATES, (4, 4))
    np.testing.assert_array_equal(output[:, :2], STATES[:, 2, :2])
    np.testing.assert_array_equal(output[:, 2:], STATES[:, 0, 2:])


@pytest.mark.parametrize("mode", MODES)
def test_ends_are_the_first_and_the_last_word(mode):
    layer = HeadTail()
    output = run(lambda x, m: layer(x, mask=m), STATES, MASK, mode=mode)
    for row, (first, last) in enumerate([(0, 2), (0, 1), (1, 1)]):
        np.testing.assert_array_equal(output[row, :2], STATES[row, last, :2])
        np.testing.assert_array_equal(output[row, 2:], STATES[row, first, 2:])
    np.testing.assert_array_equal(output[3], 0)


def test_is_what_a_bidirectional_lstm_ends_with():
    words = np.random.default_rng(0).normal(size=(3, 3, 2)).astype("float32")
    states = keras.layers.Bidirectional(
        keras.layers.LSTM(2, return_sequences=True)
    )
    ends = keras.layers.Bidirectional(keras.layers.LSTM(2))
    for layer in (states, ends):
        layer.build((None, None, 2))
    ends.set_weights(states.get_weights())
    layer, mask = HeadTail(), MASK[:3]
    found, expected = run(
        lambda x, m: (layer(states(x, mask=m), mask=m), ends(x, mask=m)),
        words,
        mask,
        mode=QUICKEST,
    )
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_rejects_states_without_halves():
    with pytest.raises(ValueError, match=r"even number .*=\(None, 4, 3\)"):
        HeadTail().build((None, 4, 3))
