"""QRNNLayer on padded texts: a padded step is as if it were not there."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import QRNNLayer
from support.layer_checks import quick_call
from support.qrnn_reference import qrnn_batch
from support.recurrent_checks import KINDS
from support.recurrent_checks import MASK
from support.recurrent_checks import M
from support.recurrent_checks import close
from support.recurrent_checks import normal
from support.recurrent_checks import qrnn_layer
from support.recurrent_checks import to_numpy


@pytest.mark.parametrize("pooling, kernel_size", KINDS)
def test_a_padded_step_keeps_the_state(pooling, kernel_size):
    layer, weights = qrnn_layer(
        pooling=pooling,
        kernel_size=kernel_size,
        return_sequences=True,
        return_state=True,
        use_bias=True,
    )
    sequences = normal(8, 6, M)
    outputs, *state = quick_call(layer, sequences, mask=MASK)
    expected, last, expected_state = qrnn_batch(
        sequences, *weights, mask=MASK, pooling=pooling
    )
    close(outputs, expected)
    np.testing.assert_array_equal(to_numpy(outputs)[~MASK], 0)
    for found, value in zip(state, expected_state, strict=False):
        close(found, value)

    arguments = {"return_sequences": False, "return_state": False}
    only_last = QRNNLayer.from_config({**layer.get_config(), **arguments})
    only_last.build(sequences.shape)
    only_last.set_weights(layer.get_weights())
    close(quick_call(only_last, sequences, mask=MASK), last)


@pytest.mark.parametrize("go_backwards", [False, True])
def test_the_content_of_padding_changes_nothing(go_backwards):
    layer, _ = qrnn_layer(
        kernel_size=3,
        use_bias=True,
        return_sequences=True,
        return_state=True,
        go_backwards=go_backwards,
    )
    sequences = normal(8, 6, M)
    changed = np.where(MASK[..., None], sequences, normal(8, 6, M, seed=9))
    for found, value in zip(
        quick_call(layer, changed, mask=MASK),
        quick_call(layer, sequences, mask=MASK),
        strict=True,
    ):
        np.testing.assert_array_equal(to_numpy(found), to_numpy(value))


@pytest.mark.parametrize("side", ["left", "right"])
def test_more_padding_changes_no_output(side):
    layer, _ = qrnn_layer(use_bias=True, kernel_size=3)
    sequences = normal(2, 4, M)
    padding = normal(2, 3, M, seed=9)
    words, none = np.ones((2, 4), bool), np.zeros((2, 3), bool)
    parts, masks = [sequences, padding], [words, none]
    if side == "left":
        parts, masks = parts[::-1], masks[::-1]
    padded = quick_call(
        layer, np.concatenate(parts, 1), mask=np.concatenate(masks, 1)
    )
    close(padded, to_numpy(quick_call(layer, sequences)), 1e-6)


def test_a_mask_of_words_only_changes_nothing():
    layer, _ = qrnn_layer(return_sequences=True)
    sequences = normal(2, 5, M)
    close(
        quick_call(layer, sequences, mask=np.ones((2, 5), bool)),
        to_numpy(quick_call(layer, sequences)),
        1e-6,
    )


@pytest.mark.parametrize(
    "return_sequences, return_state",
    [(False, False), (True, False), (True, True)],
)
def test_hands_its_mask_on_with_sequences_only(return_sequences, return_state):
    layer, _ = qrnn_layer(
        return_sequences=return_sequences, return_state=return_state
    )
    embedding = keras.layers.Embedding(9, M, mask_zero=True)
    outputs = layer(embedding(np.array([[3, 4, 0], [5, 0, 0]])))
    outputs = outputs if return_state else [outputs]
    masks = [getattr(output, "_keras_mask", None) for output in outputs]
    if return_sequences:
        np.testing.assert_array_equal(
            ops.convert_to_numpy(masks.pop(0)),
            [[True, True, False], [True, False, False]],
        )
    assert all(mask is None for mask in masks)
