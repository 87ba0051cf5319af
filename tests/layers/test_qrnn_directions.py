"""QRNNLayer backwards, both ways, and stacked."""

import keras
import numpy as np
import pytest

from keras_qa.layers import QRNNLayer
from support.layer_checks import quick_call
from support.qrnn_reference import qrnn_batch
from support.recurrent_checks import MASK
from support.recurrent_checks import UNITS
from support.recurrent_checks import M
from support.recurrent_checks import close
from support.recurrent_checks import normal
from support.recurrent_checks import qrnn_layer
from support.recurrent_checks import to_numpy


@pytest.mark.parametrize("masked", [False, True])
def test_backwards_reads_the_reversed_text(masked):
    layer, weights = qrnn_layer(
        go_backwards=True, return_sequences=True, return_state=True
    )
    sequences = normal(3, 6, M)
    mask = MASK[:3] if masked else None
    expected, _, state = qrnn_batch(
        sequences[:, ::-1],
        *weights,
        mask=mask[:, ::-1] if masked else None,
    )
    outputs, *found = quick_call(layer, sequences, mask=mask)
    close(outputs, expected)
    for tensor, value in zip(found, state, strict=True):
        close(tensor, value)


@pytest.mark.parametrize("return_sequences", [False, True])
def test_bidirectional(return_sequences):
    both = keras.layers.Bidirectional(
        QRNNLayer(UNITS, kernel_size=2, return_sequences=return_sequences)
    )
    both.build((None, None, M))
    kernels = [normal(2, M, 3 * UNITS, seed=seed) for seed in (1, 2)]
    both.forward_layer.kernel.assign(kernels[0])
    both.backward_layer.kernel.assign(kernels[1])
    sequences = normal(8, 6, M)
    kernels = [kernel.astype("float64") for kernel in kernels]
    steps, last, _ = qrnn_batch(sequences, kernels[0], mask=MASK)
    steps_back, last_back, _ = qrnn_batch(
        sequences[:, ::-1], kernels[1], mask=MASK[:, ::-1]
    )
    expected = (
        np.concatenate([steps, steps_back[:, ::-1]], -1)
        if return_sequences
        else np.concatenate([last, last_back], -1)
    )
    close(quick_call(both, sequences, mask=MASK), expected)


def test_bidirectional_returns_the_states_of_both():
    both = keras.layers.Bidirectional(QRNNLayer(UNITS, return_state=True))
    tokens = np.array([[3, 4, 5, 0], [6, 0, 0, 0]])
    words = keras.layers.Embedding(9, M, mask_zero=True)(tokens)
    outputs = both(words)
    shapes = [tuple(output.shape) for output in outputs]
    assert shapes == [(2, 2 * UNITS), *[(2, UNITS), (2, 1, M)] * 2]
    again = both(words, initial_state=list(outputs[1:]))
    assert np.abs(to_numpy(again[0]) - to_numpy(outputs[0])).max() > 1e-3
    symbolic = both(keras.Input((None, M)))
    assert [output.shape[1:] for output in symbolic] == [
        shape[1:] for shape in shapes
    ]


@pytest.mark.slow
@pytest.mark.once
def test_bidirectional_and_stacked_in_a_saved_model(tmp_path):
    tokens = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(9, M, mask_zero=True)(tokens)
    x = keras.layers.Bidirectional(QRNNLayer(UNITS, return_sequences=True))(x)
    x = QRNNLayer(UNITS, kernel_size=3, return_sequences=True)(x)
    model = keras.Model(tokens, QRNNLayer(2)(x))
    padded = np.array([[3, 4, 5, 0, 0], [6, 7, 0, 0, 0]])
    scores = model.predict(padded, verbose=0)
    np.testing.assert_allclose(
        model.predict(padded[:, :3], verbose=0), scores, atol=1e-6
    )
    model.save(tmp_path / "model.keras")
    reloaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(reloaded.predict(padded, verbose=0), scores)


def test_stacked_layers_are_the_loop_applied_twice():
    first, first_weights = qrnn_layer(return_sequences=True)
    second, second_weights = qrnn_layer(m=UNITS, seed=5, return_sequences=True)
    sequences = normal(8, 6, M)
    between, _, _ = qrnn_batch(sequences, *first_weights, mask=MASK)
    expected, _, _ = qrnn_batch(between, *second_weights, mask=MASK)
    close(
        quick_call(second, quick_call(first, sequences, mask=MASK), mask=MASK),
        expected,
    )
