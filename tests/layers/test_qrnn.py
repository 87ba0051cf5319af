"""QRNNLayer: the printed equations as a loop, zoneout and dropout."""

import keras
import numpy as np
import pytest

from keras_qa.layers import QRNNLayer
from support.layer_checks import quick_call
from support.qrnn_reference import GATES
from support.qrnn_reference import qrnn_batch
from support.recurrent_checks import FAR
from support.recurrent_checks import KINDS
from support.recurrent_checks import POOLINGS
from support.recurrent_checks import UNITS
from support.recurrent_checks import M
from support.recurrent_checks import close
from support.recurrent_checks import normal
from support.recurrent_checks import qrnn_layer
from support.recurrent_checks import to_numpy

# The equations.


@pytest.mark.parametrize("kernel_size", [1, 2, 3])
@pytest.mark.parametrize("pooling", POOLINGS)
def test_one_kernel_and_no_more_parameters(kernel_size, pooling):
    layer, _ = qrnn_layer(kernel_size=kernel_size, pooling=pooling)
    gates = len(GATES[pooling])
    assert layer.kernel.shape == (kernel_size, M, gates * UNITS)
    assert layer.count_params() == kernel_size * M * gates * UNITS


def test_fo_pooling_by_hand():
    # One unit and one word feature; z = tanh(x), f = 1/2, o = 1/2.
    layer = QRNNLayer(1, kernel_size=1, return_sequences=True)
    layer.build((None, None, 1))
    layer.kernel.assign([[[1.0, 0.0, 0.0]]])
    states = quick_call(layer, np.array([[[1.0], [2.0]]], "float32"))
    first = np.tanh(1) / 2
    second = first / 2 + np.tanh(2) / 2
    close(states, [[[first / 2], [second / 2]]])


@pytest.mark.parametrize(
    "pooling, kernel_size, use_bias",
    [*((*kind, True) for kind in KINDS), ("fo", 2, False), ("ifo", 3, True)],
)
def test_equations(pooling, kernel_size, use_bias):
    layer, weights = qrnn_layer(
        pooling=pooling,
        kernel_size=kernel_size,
        use_bias=use_bias,
        return_sequences=True,
        return_state=True,
    )
    sequences = normal(3, 7, M)
    outputs, *state = quick_call(layer, sequences)
    expected, _, expected_state = qrnn_batch(
        sequences, *weights, pooling=pooling
    )
    close(outputs, expected)
    assert len(state) == (1 if kernel_size == 1 else 2)
    for found, value in zip(state, expected_state, strict=False):
        close(found, value)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_without_sequences_the_output_is_the_last(pooling):
    layer, weights = qrnn_layer(pooling=pooling)
    sequences = normal(3, 6, M)
    _, last, _ = qrnn_batch(sequences, *weights, pooling=pooling)
    close(quick_call(layer, sequences), last)


@pytest.mark.parametrize("length", [1, 2])
def test_a_text_shorter_than_the_kernel(length):
    layer, weights = qrnn_layer(
        kernel_size=3, return_sequences=True, return_state=True
    )
    sequences = normal(2, length, M)
    outputs, *state = quick_call(layer, sequences)
    expected, _, expected_state = qrnn_batch(sequences, *weights)
    close(outputs, expected)
    for found, value in zip(state, expected_state, strict=True):
        close(found, value)


def test_other_activations():
    layer, _ = qrnn_layer(
        pooling="f",
        activation="relu",
        recurrent_activation="hard_sigmoid",
        kernel_size=1,
        return_sequences=True,
    )
    sequences = normal(2, 1, M)
    kernel = to_numpy(layer.kernel)[0]
    z, f = np.split(sequences[:, 0] @ kernel, 2, axis=-1)
    expected = (1 - np.clip(f / 6 + 0.5, 0, 1)) * np.maximum(z, 0)
    close(quick_call(layer, sequences)[:, 0], expected)


@pytest.mark.parametrize("kernel_size", [1, 2, 3])
def test_the_future_has_no_influence(kernel_size):
    layer, _ = qrnn_layer(kernel_size=kernel_size, return_sequences=True)
    # Text n differs from the last one from step n on.
    sequences = normal(1, 6, M).repeat(7, axis=0)
    for step in range(6):
        sequences[step, step:] += normal(6 - step, M, seed=step)
    outputs = to_numpy(quick_call(layer, sequences))
    difference = np.abs(outputs - outputs[6:])
    for step in range(6):
        np.testing.assert_allclose(difference[step, :step], 0, atol=1e-6)
        assert difference[step, step].max() > 1e-2


@pytest.mark.once
@pytest.mark.parametrize("kernel_size", [1, 2, 3])
def test_the_window_reaches_back_by_the_kernel_size(kernel_size):
    layer, _ = qrnn_layer(
        kernel_size=kernel_size,
        pooling="f",
        use_bias=True,
        return_sequences=True,
    )
    # With a closed forget gate only the window is left.
    layer.bias.assign(np.repeat([0.0, -FAR], UNITS))
    sequences = normal(1, 6, M).repeat(2, axis=0)
    sequences[1, 2] += 1
    outputs = to_numpy(quick_call(layer, sequences))
    touched = list(np.abs(outputs[1] - outputs[0]).max(1) > 1e-4)
    assert touched == [2 <= step < 2 + kernel_size for step in range(6)]


# Chance.


def _identity_layer(forget_logit, **kwargs):
    """z is the input itself and each forget gate sigmoid(forget_logit)."""
    layer = QRNNLayer(
        M,
        kernel_size=1,
        pooling="f",
        activation="linear",
        use_bias=True,
        return_sequences=True,
        **kwargs,
    )
    layer.build((None, None, M))
    kernel = np.concatenate([np.eye(M), np.zeros((M, M))], axis=1)
    layer.kernel.assign(kernel[None])
    layer.bias.assign(np.repeat([0.0, forget_logit], M))
    return layer


def test_zoneout_in_training_sets_forget_gates_to_one():
    p, gate = 0.3, 0.25
    layer = _identity_layer(np.log(gate / (1 - gate)), zoneout=p, seed=1)
    sequences = normal(20, 30, M)
    cells = to_numpy(quick_call(layer, sequences, training=True)).astype(
        "float64"
    )
    before = np.concatenate([np.zeros((20, 1, M)), cells[:, :-1]], axis=1)
    # c = F c' + (1 - F) z, solved for F.
    moved = np.abs(before - sequences) > 1e-2
    found = ((cells - sequences) / (before - sequences))[moved]
    kept = np.isclose(found, gate, atol=1e-3)
    assert (kept | np.isclose(found, 1, atol=1e-3)).all()
    # 2400 draws: a deviation of 0.01.
    assert abs(1 - kept.mean() - p) < 0.04
    # Each element is drawn for itself: by unit, by step and by text.
    shape = moved.shape
    ones = np.full(shape, np.nan)
    ones[moved] = ~kept
    for axes in [(0, 1), (0, 2), (1, 2)]:
        share = np.nanmean(ones, axis=axes)
        assert (np.abs(share - p) < 0.25).all()
    for axis in range(3):
        assert (np.nanstd(ones, axis=axis) > 0).mean() > 0.5


@pytest.mark.parametrize("pooling", POOLINGS)
def test_zoneout_at_inference_is_the_expected_gate(pooling):
    layer, weights = qrnn_layer(
        pooling=pooling, zoneout=0.4, use_bias=True, return_sequences=True
    )
    sequences = normal(2, 6, M)
    expected, _, _ = qrnn_batch(
        sequences, *weights, pooling=pooling, zoneout=0.4
    )
    close(quick_call(layer, sequences), expected)
    close(quick_call(layer, sequences, training=False), expected)


def test_the_mean_over_zoneout_draws_is_near_inference():
    # One step from a given state: linear in the gate, so exactly unbiased.
    layer = _identity_layer(0.0, zoneout=0.5, seed=3)
    sequences = np.ones((4000, 1, M), "float32")
    state = [np.full((4000, M), 5, "float32")]
    drawn = to_numpy(
        quick_call(layer, sequences, initial_state=state, training=True)
    )
    np.testing.assert_allclose(np.unique(drawn.round(4)), [3, 5])
    close(drawn.mean(), 0.75 * 5 + 0.25, 0.02)
    kept = to_numpy(quick_call(layer, sequences, initial_state=state))
    close(kept, np.full(kept.shape, 4.0))


def test_zoneout_of_padding_keeps_the_state():
    layer, _ = qrnn_layer(zoneout=0.5, seed=1)
    sequences = normal(2, 6, M)
    mask = np.zeros((2, 6), bool)
    np.testing.assert_array_equal(
        to_numpy(quick_call(layer, sequences, mask=mask, training=True)), 0
    )


def test_dropout_falls_on_the_inputs():
    p = 0.25
    layer = _identity_layer(-FAR, dropout=p, seed=1)
    sequences = normal(20, 30, M) + 5
    states = to_numpy(quick_call(layer, sequences, training=True))
    dropped = states == 0
    assert abs(dropped.mean() - p) < 0.04
    np.testing.assert_allclose(
        states[~dropped], (sequences / (1 - p))[~dropped], rtol=1e-5
    )
    close(quick_call(layer, sequences), sequences)


def test_without_chance_training_is_inference():
    layer, _ = qrnn_layer(return_sequences=True)
    sequences = normal(2, 5, M)
    np.testing.assert_array_equal(
        to_numpy(quick_call(layer, sequences, training=True)),
        to_numpy(quick_call(layer, sequences)),
    )


def test_the_seed_repeats_the_draws():
    sequences = normal(2, 9, M)
    outputs = []
    for seed in (5, 5, 6):
        layer = QRNNLayer(
            UNITS,
            kernel_initializer=keras.initializers.GlorotUniform(1),
            seed=seed,
            dropout=0.5,
            zoneout=0.5,
        )
        first = to_numpy(layer(sequences, training=True))
        second = to_numpy(layer(sequences, training=True))
        assert (first != second).any()
        outputs.append(first)
    np.testing.assert_array_equal(outputs[0], outputs[1])
    assert (outputs[0] != outputs[2]).any()
