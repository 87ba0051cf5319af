"""QRNNLayer's states: given, returned, and carried over chunks."""

import numpy as np
import pytest
from keras import ops

from support.layer_checks import quick_call
from support.qrnn_reference import qrnn_batch
from support.recurrent_checks import KINDS
from support.recurrent_checks import UNITS
from support.recurrent_checks import M
from support.recurrent_checks import close
from support.recurrent_checks import normal
from support.recurrent_checks import qrnn_layer
from support.recurrent_checks import to_numpy


@pytest.mark.parametrize("pooling, kernel_size", KINDS)
def test_initial_state(pooling, kernel_size):
    layer, weights = qrnn_layer(
        pooling=pooling,
        kernel_size=kernel_size,
        return_sequences=True,
        return_state=True,
    )
    sequences = normal(2, 5, M)
    state = normal(2, UNITS, seed=3), normal(2, kernel_size - 1, M, seed=4)
    mask = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 0, 0]], bool)
    expected, _, expected_state = qrnn_batch(
        sequences, *weights, mask=mask, state=state, pooling=pooling
    )
    given = [ops.convert_to_tensor(s) for s in state][: min(kernel_size, 2)]
    outputs, *found_state = quick_call(
        layer, sequences, initial_state=given, mask=mask
    )
    close(outputs, expected)
    for found, value in zip(found_state, expected_state, strict=False):
        close(found, value)
    # The second text has no words: its state comes back to the bit.
    for found, value in zip(found_state, state, strict=False):
        np.testing.assert_array_equal(to_numpy(found)[1], value[1])


@pytest.mark.parametrize(
    "kernel_size, cuts",
    [(1, [5, 6]), (2, [1, 2, 3]), (2, [5, 6]), (4, [1, 2, 3])],
)
def test_chunks_with_carried_state_equal_one_long_sequence(kernel_size, cuts):
    layer, weights = qrnn_layer(
        kernel_size=kernel_size,
        use_bias=True,
        return_sequences=True,
        return_state=True,
    )
    sequences = normal(2, 10, M)
    whole, *whole_state = quick_call(layer, sequences)
    outputs, state = [], None
    for chunk in np.split(sequences, cuts, axis=1):
        output, *state = quick_call(layer, chunk, initial_state=state)
        outputs.append(to_numpy(output))
    expected, _, _ = qrnn_batch(sequences, *weights)
    close(np.concatenate(outputs, 1), expected)
    close(np.concatenate(outputs, 1), to_numpy(whole), 1e-6)
    for found, value in zip(state, whole_state, strict=True):
        close(found, to_numpy(value), 1e-6)


@pytest.mark.parametrize(
    "kernel_size, side", [(1, "right"), (2, "left"), (4, "left"), (4, "right")]
)
def test_ragged_chunks_equal_one_long_sequence(kernel_size, side):
    # How many words each text has in each chunk of 4 steps, none included.
    counts = np.array([[4, 1, 0, 3], [0, 0, 2, 1], [1, 1, 1, 4]])
    layer, weights = qrnn_layer(
        kernel_size=kernel_size, return_sequences=True, return_state=True
    )
    texts = [normal(n, M, seed=n) for n in counts.sum(1)]
    read, found, state = np.zeros(3, int), [[], [], []], None
    for chunk in counts.T:
        sequences = normal(3, 4, M, seed=9)
        mask = np.arange(4) < chunk[:, None]
        if side == "left":
            mask = mask[:, ::-1]
        for row, count in enumerate(chunk):
            sequences[row, mask[row]] = texts[row][read[row] :][:count]
        read += chunk
        outputs, *state = quick_call(
            layer, sequences, initial_state=state, mask=mask
        )
        for row in range(3):
            found[row].extend(to_numpy(outputs)[row, mask[row]])
    for row, text in enumerate(texts):
        expected, _, expected_state = qrnn_batch(text[None], *weights)
        close(np.array(found[row]), expected[0])
        for tensor, value in zip(state, expected_state, strict=False):
            close(to_numpy(tensor)[row], value[0])


def test_the_last_output_continues_over_a_chunk_without_words():
    layer, weights = qrnn_layer(return_state=True)
    sequences = normal(1, 6, M)
    _, *state = quick_call(layer, sequences[:, :4])
    last, *_ = quick_call(layer, sequences[:, 4:], initial_state=state)
    _, expected, _ = qrnn_batch(sequences, *weights)
    close(last, expected)


@pytest.mark.parametrize("kernel_size, given", [(1, 2), (2, 1), (3, 3)])
def test_a_state_has_a_cell_and_a_window_if_there_is_one(kernel_size, given):
    layer, _ = qrnn_layer(kernel_size=kernel_size)
    state = [normal(2, UNITS)] * given
    expected = min(kernel_size, 2)
    message = f"`initial_state` must be a list of {expected} .*: {given} ten"
    with pytest.raises(ValueError, match=message):
        layer(normal(2, 5, M), initial_state=state)
