"""QRNNLayer: the layer contract, and the printed equations as a loop."""

import keras
import numpy as np
import pytest
from keras import ops
from layer_checks import MODES
from layer_checks import QUICKEST
from layer_checks import check_layer
from layer_checks import functional_call
from layer_checks import gradients
from layer_checks import quick_call
from layer_checks import run
from qrnn_reference import GATES
from qrnn_reference import finite_differences
from qrnn_reference import qrnn_batch

from keras_qa.layers import QRNNLayer

UNITS, M = 3, 4
POOLINGS = ["f", "fo", "ifo"]
# Each pooling and each kernel size.
KINDS = [("f", 2), ("fo", 1), ("fo", 2), ("fo", 3), ("ifo", 2)]
# Padding at the end, at the start, at both, nowhere, everywhere, in between.
MASK = np.array(
    [
        [1, 1, 1, 1, 0, 0],
        [1, 0, 0, 0, 0, 0],
        [0, 0, 1, 1, 1, 1],
        [0, 0, 0, 0, 0, 1],
        [0, 1, 1, 1, 0, 0],
        [1, 1, 1, 1, 1, 1],
        [0, 0, 0, 0, 0, 0],
        [1, 0, 1, 1, 0, 1],
    ],
    bool,
)
FAR = 1e4  # the logit of a gate that is 0 or 1 to the last bit


def _random(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return values.astype("float32")


def _layer(m=M, units=UNITS, seed=1, **kwargs):
    """A built layer with random weights, and these weights in float64."""
    # Zeros are the quickest to make; random weights follow.
    layer = QRNNLayer(units, kernel_initializer="zeros", **kwargs)
    layer.build((None, None, m))
    weights = [
        _random(*weight.shape, seed=seed + number)
        for number, weight in enumerate(layer.trainable_weights)
    ]
    for weight, value in zip(layer.trainable_weights, weights, strict=True):
        weight.assign(value)
    return layer, [weight.astype("float64") for weight in weights]


def _numpy(tensor):
    return ops.convert_to_numpy(ops.cast(tensor, "float32"))


def _close(found, expected, tolerance=1e-5):
    np.testing.assert_allclose(
        _numpy(found), expected, rtol=tolerance, atol=tolerance
    )


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


# The contract.


@pytest.mark.parametrize(
    "pooling, return_sequences",
    [("f", True), ("fo", False), ("ifo", True)],
)
def test_layer_contract(pooling, return_sequences):
    check_layer(
        QRNNLayer,
        {
            "units": UNITS,
            "pooling": pooling,
            "return_sequences": return_sequences,
            "use_bias": True,
        },
        _random(2, 5, M),
        (2, 5, UNITS) if return_sequences else (2, UNITS),
        trainable_weights=2,
    )


@pytest.mark.parametrize("kernel_size", [1, 2])
def test_contract_of_the_returned_state(kernel_size):
    states = [(2, UNITS), (2, kernel_size - 1, M)][:kernel_size]
    check_layer(
        QRNNLayer,
        {"units": UNITS, "kernel_size": kernel_size, "return_state": True},
        _random(2, 5, M),
        [(2, UNITS), *states],
        trainable_weights=1,
    )


def test_all_arguments_survive_the_configuration():
    arguments = {
        "units": 5,
        "kernel_size": 3,
        "pooling": "ifo",
        "activation": "relu",
        "recurrent_activation": "hard_sigmoid",
        "use_bias": True,
        "zoneout": 0.1,
        "dropout": 0.2,
        "return_sequences": True,
        "return_state": True,
        "go_backwards": True,
        "kernel_initializer": "orthogonal",
        "bias_initializer": "ones",
        "kernel_regularizer": keras.regularizers.L2(0.5),
        "bias_regularizer": keras.regularizers.L1(0.5),
        "kernel_constraint": keras.constraints.MaxNorm(1),
        "bias_constraint": keras.constraints.NonNeg(),
        "seed": 7,
        "name": "reader",
    }
    layer = QRNNLayer(**arguments)
    layer.build((None, None, 2))
    config = layer.get_config()
    for name in arguments:
        assert name in config
    for name in ("units", "pooling", "zoneout", "dropout", "seed", "name"):
        assert config[name] == arguments[name]
    revived = QRNNLayer.from_config(config)
    assert revived.get_config() == config
    np.testing.assert_array_equal(_numpy(layer.bias), np.ones(20))
    assert isinstance(layer.kernel.constraint, keras.constraints.MaxNorm)
    assert isinstance(layer.bias.constraint, keras.constraints.NonNeg)
    penalty = 0.5 * (_numpy(layer.kernel) ** 2).sum() + 0.5 * 20
    _close(sum(layer.losses), penalty)


@pytest.mark.parametrize("kernel_size", [1, 2, 3])
@pytest.mark.parametrize("pooling", POOLINGS)
def test_one_kernel_and_no_more_parameters(kernel_size, pooling):
    layer, _ = _layer(kernel_size=kernel_size, pooling=pooling)
    gates = len(GATES[pooling])
    assert layer.kernel.shape == (kernel_size, M, gates * UNITS)
    assert layer.count_params() == kernel_size * M * gates * UNITS


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"pooling": "fio"}, r"`pooling`.*Received: pooling='fio'"),
        ({"units": 0}, r"`units`.*Received: units=0"),
        ({"kernel_size": 0}, r"`kernel_size`.*Received: kernel_size=0"),
        ({"zoneout": 1.5}, r"`zoneout`.*Received: zoneout=1.5"),
        ({"dropout": -0.1}, r"`dropout`.*Received: dropout=-0.1"),
    ],
)
def test_rejects_a_wrong_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        QRNNLayer(**{"units": 2, **arguments})


# The equations.


def test_fo_pooling_by_hand():
    # One unit and one word feature; z = tanh(x), f = 1/2, o = 1/2.
    layer = QRNNLayer(1, kernel_size=1, return_sequences=True)
    layer.build((None, None, 1))
    layer.kernel.assign([[[1.0, 0.0, 0.0]]])
    states = quick_call(layer, np.array([[[1.0], [2.0]]], "float32"))
    first = np.tanh(1) / 2
    second = first / 2 + np.tanh(2) / 2
    _close(states, [[[first / 2], [second / 2]]])


@pytest.mark.parametrize(
    "pooling, kernel_size, use_bias",
    [*((*kind, True) for kind in KINDS), ("fo", 2, False), ("ifo", 3, True)],
)
def test_equations(pooling, kernel_size, use_bias):
    layer, weights = _layer(
        pooling=pooling,
        kernel_size=kernel_size,
        use_bias=use_bias,
        return_sequences=True,
        return_state=True,
    )
    sequences = _random(3, 7, M)
    outputs, *state = quick_call(layer, sequences)
    expected, _, expected_state = qrnn_batch(
        sequences, *weights, pooling=pooling
    )
    _close(outputs, expected)
    assert len(state) == (1 if kernel_size == 1 else 2)
    for found, value in zip(state, expected_state, strict=False):
        _close(found, value)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_without_sequences_the_output_is_the_last(pooling):
    layer, weights = _layer(pooling=pooling)
    sequences = _random(3, 6, M)
    _, last, _ = qrnn_batch(sequences, *weights, pooling=pooling)
    _close(quick_call(layer, sequences), last)


@pytest.mark.parametrize("length", [1, 2])
def test_a_text_shorter_than_the_kernel(length):
    layer, weights = _layer(
        kernel_size=3, return_sequences=True, return_state=True
    )
    sequences = _random(2, length, M)
    outputs, *state = quick_call(layer, sequences)
    expected, _, expected_state = qrnn_batch(sequences, *weights)
    _close(outputs, expected)
    for found, value in zip(state, expected_state, strict=True):
        _close(found, value)


def test_other_activations():
    layer, _ = _layer(
        pooling="f",
        activation="relu",
        recurrent_activation="hard_sigmoid",
        kernel_size=1,
        return_sequences=True,
    )
    sequences = _random(2, 1, M)
    kernel = _numpy(layer.kernel)[0]
    z, f = np.split(sequences[:, 0] @ kernel, 2, axis=-1)
    expected = (1 - np.clip(f / 6 + 0.5, 0, 1)) * np.maximum(z, 0)
    _close(quick_call(layer, sequences)[:, 0], expected)


@pytest.mark.parametrize("kernel_size", [1, 2, 3])
def test_the_future_has_no_influence(kernel_size):
    layer, _ = _layer(kernel_size=kernel_size, return_sequences=True)
    # Text n differs from the last one from step n on.
    sequences = _random(1, 6, M).repeat(7, axis=0)
    for step in range(6):
        sequences[step, step:] += _random(6 - step, M, seed=step)
    outputs = _numpy(quick_call(layer, sequences))
    difference = np.abs(outputs - outputs[6:])
    for step in range(6):
        np.testing.assert_allclose(difference[step, :step], 0, atol=1e-6)
        assert difference[step, step].max() > 1e-2


@pytest.mark.parametrize("kernel_size", [1, 2, 3])
def test_the_window_reaches_back_by_the_kernel_size(kernel_size):
    layer, _ = _layer(
        kernel_size=kernel_size,
        pooling="f",
        use_bias=True,
        return_sequences=True,
    )
    # With a closed forget gate only the window is left.
    layer.bias.assign(np.repeat([0.0, -FAR], UNITS))
    sequences = _random(1, 6, M).repeat(2, axis=0)
    sequences[1, 2] += 1
    outputs = _numpy(quick_call(layer, sequences))
    touched = list(np.abs(outputs[1] - outputs[0]).max(1) > 1e-4)
    assert touched == [2 <= step < 2 + kernel_size for step in range(6)]


# Gradients.


@pytest.mark.parametrize(
    "pooling, mode",
    [("fo", mode) for mode in MODES] + [("f", QUICKEST), ("ifo", MODES[-1])],
)
def test_gradients(pooling, mode):
    layer, (kernel, bias) = _layer(
        pooling=pooling, use_bias=True, return_sequences=True
    )
    sequences = _random(2, 4, M)
    weights = _random(2, 4, UNITS, seed=5)

    def number(sequences, kernel, bias):
        outputs, _, _ = qrnn_batch(sequences, kernel, bias, pooling=pooling)
        return (weights * outputs).sum()

    def weighted(sequences, flat_kernel, bias):
        kernel_now = ops.reshape(flat_kernel, kernel.shape)
        bias_now = ops.reshape(bias, (kernel.shape[2],))
        outputs = functional_call(layer, [kernel_now, bias_now], sequences)
        return ops.multiply(outputs, weights)

    found = gradients(
        weighted,
        sequences,
        kernel.reshape(-1, kernel.shape[2]).astype("float32"),
        bias.astype("float32"),
        mode=mode,
    )
    expected = [
        finite_differences(lambda x: number(x, kernel, bias), sequences),
        finite_differences(lambda k: number(sequences, k, bias), kernel),
        finite_differences(lambda b: number(sequences, kernel, b), bias),
    ]
    for gradient, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            gradient, value.reshape(gradient.shape), rtol=1e-3, atol=1e-5
        )


def test_gradients_with_mask_and_initial_state():
    layer, (kernel,) = _layer(kernel_size=3, return_sequences=True)
    sequences, weights = _random(8, 6, M), _random(8, 6, UNITS, seed=5)
    cell, window = _random(8, UNITS, seed=6), _random(8, 2, M, seed=7)

    def number(sequences, cell, window):
        outputs, _, _ = qrnn_batch(
            sequences, kernel, mask=MASK, state=(cell, window)
        )
        return (weights * outputs).sum()

    arrays = [sequences, cell, window]
    found = gradients(
        lambda x, c, w: ops.multiply(
            layer(x, initial_state=[c, w], mask=MASK), weights
        ),
        *arrays,
        mode=QUICKEST,
    )
    for position, gradient in enumerate(found):

        def at(array, position=position):
            given = [array.astype("float64") for array in arrays]
            given[position] = array
            return number(*given)

        expected = finite_differences(at, arrays[position])
        np.testing.assert_allclose(gradient, expected, rtol=1e-3, atol=1e-5)
    np.testing.assert_array_equal(found[0][~MASK], 0)


def test_gradients_are_finite_with_saturated_gates():
    layer, _ = _layer(return_sequences=True)
    for scale in (0.0, 1e3):
        sequences = scale * _random(2, 9, M)
        (by_input,) = gradients(layer, sequences, mode=QUICKEST)
        assert np.isfinite(by_input).all()


# Masks.


@pytest.mark.parametrize("pooling, kernel_size", KINDS)
def test_a_padded_step_keeps_the_state(pooling, kernel_size):
    layer, weights = _layer(
        pooling=pooling,
        kernel_size=kernel_size,
        return_sequences=True,
        return_state=True,
        use_bias=True,
    )
    sequences = _random(8, 6, M)
    outputs, *state = quick_call(layer, sequences, mask=MASK)
    expected, last, expected_state = qrnn_batch(
        sequences, *weights, mask=MASK, pooling=pooling
    )
    _close(outputs, expected)
    np.testing.assert_array_equal(_numpy(outputs)[~MASK], 0)
    for found, value in zip(state, expected_state, strict=False):
        _close(found, value)

    arguments = {"return_sequences": False, "return_state": False}
    only_last = QRNNLayer.from_config({**layer.get_config(), **arguments})
    only_last.build(sequences.shape)
    only_last.set_weights(layer.get_weights())
    _close(quick_call(only_last, sequences, mask=MASK), last)


@pytest.mark.parametrize("go_backwards", [False, True])
def test_the_content_of_padding_changes_nothing(go_backwards):
    layer, _ = _layer(
        kernel_size=3,
        use_bias=True,
        return_sequences=True,
        return_state=True,
        go_backwards=go_backwards,
    )
    sequences = _random(8, 6, M)
    changed = np.where(MASK[..., None], sequences, _random(8, 6, M, seed=9))
    for found, value in zip(
        quick_call(layer, changed, mask=MASK),
        quick_call(layer, sequences, mask=MASK),
        strict=True,
    ):
        np.testing.assert_array_equal(_numpy(found), _numpy(value))


@pytest.mark.parametrize("side", ["left", "right"])
def test_more_padding_changes_no_output(side):
    layer, _ = _layer(use_bias=True, kernel_size=3)
    sequences = _random(2, 4, M)
    padding = _random(2, 3, M, seed=9)
    words, none = np.ones((2, 4), bool), np.zeros((2, 3), bool)
    parts, masks = [sequences, padding], [words, none]
    if side == "left":
        parts, masks = parts[::-1], masks[::-1]
    padded = quick_call(
        layer, np.concatenate(parts, 1), mask=np.concatenate(masks, 1)
    )
    _close(padded, _numpy(quick_call(layer, sequences)), 1e-6)


def test_a_mask_of_words_only_changes_nothing():
    layer, _ = _layer(return_sequences=True)
    sequences = _random(2, 5, M)
    _close(
        quick_call(layer, sequences, mask=np.ones((2, 5), bool)),
        _numpy(quick_call(layer, sequences)),
        1e-6,
    )


@pytest.mark.parametrize(
    "return_sequences, return_state",
    [(False, False), (True, False), (True, True)],
)
def test_hands_its_mask_on_with_sequences_only(return_sequences, return_state):
    layer, _ = _layer(
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


# States.


@pytest.mark.parametrize("pooling, kernel_size", KINDS)
def test_initial_state(pooling, kernel_size):
    layer, weights = _layer(
        pooling=pooling,
        kernel_size=kernel_size,
        return_sequences=True,
        return_state=True,
    )
    sequences = _random(2, 5, M)
    state = _random(2, UNITS, seed=3), _random(2, kernel_size - 1, M, seed=4)
    mask = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 0, 0]], bool)
    expected, _, expected_state = qrnn_batch(
        sequences, *weights, mask=mask, state=state, pooling=pooling
    )
    given = [ops.convert_to_tensor(s) for s in state][: min(kernel_size, 2)]
    outputs, *found_state = quick_call(
        layer, sequences, initial_state=given, mask=mask
    )
    _close(outputs, expected)
    for found, value in zip(found_state, expected_state, strict=False):
        _close(found, value)
    # The second text has no words: its state comes back to the bit.
    for found, value in zip(found_state, state, strict=False):
        np.testing.assert_array_equal(_numpy(found)[1], value[1])


@pytest.mark.parametrize(
    "kernel_size, cuts",
    [(1, [5, 6]), (2, [1, 2, 3]), (2, [5, 6]), (4, [1, 2, 3])],
)
def test_chunks_with_carried_state_equal_one_long_sequence(kernel_size, cuts):
    layer, weights = _layer(
        kernel_size=kernel_size,
        use_bias=True,
        return_sequences=True,
        return_state=True,
    )
    sequences = _random(2, 10, M)
    whole, *whole_state = quick_call(layer, sequences)
    outputs, state = [], None
    for chunk in np.split(sequences, cuts, axis=1):
        output, *state = quick_call(layer, chunk, initial_state=state)
        outputs.append(_numpy(output))
    expected, _, _ = qrnn_batch(sequences, *weights)
    _close(np.concatenate(outputs, 1), expected)
    _close(np.concatenate(outputs, 1), _numpy(whole), 1e-6)
    for found, value in zip(state, whole_state, strict=True):
        _close(found, _numpy(value), 1e-6)


@pytest.mark.parametrize(
    "kernel_size, side", [(1, "right"), (2, "left"), (4, "left"), (4, "right")]
)
def test_ragged_chunks_equal_one_long_sequence(kernel_size, side):
    # How many words each text has in each chunk of 4 steps, none included.
    counts = np.array([[4, 1, 0, 3], [0, 0, 2, 1], [1, 1, 1, 4]])
    layer, weights = _layer(
        kernel_size=kernel_size, return_sequences=True, return_state=True
    )
    texts = [_random(n, M, seed=n) for n in counts.sum(1)]
    read, found, state = np.zeros(3, int), [[], [], []], None
    for chunk in counts.T:
        sequences = _random(3, 4, M, seed=9)
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
            found[row].extend(_numpy(outputs)[row, mask[row]])
    for row, text in enumerate(texts):
        expected, _, expected_state = qrnn_batch(text[None], *weights)
        _close(np.array(found[row]), expected[0])
        for tensor, value in zip(state, expected_state, strict=False):
            _close(_numpy(tensor)[row], value[0])


def test_the_last_output_continues_over_a_chunk_without_words():
    layer, weights = _layer(return_state=True)
    sequences = _random(1, 6, M)
    _, *state = quick_call(layer, sequences[:, :4])
    last, *_ = quick_call(layer, sequences[:, 4:], initial_state=state)
    _, expected, _ = qrnn_batch(sequences, *weights)
    _close(last, expected)


# Backwards, both ways, stacked.


@pytest.mark.parametrize("masked", [False, True])
def test_backwards_reads_the_reversed_text(masked):
    layer, weights = _layer(
        go_backwards=True, return_sequences=True, return_state=True
    )
    sequences = _random(3, 6, M)
    mask = MASK[:3] if masked else None
    expected, _, state = qrnn_batch(
        sequences[:, ::-1],
        *weights,
        mask=mask[:, ::-1] if masked else None,
    )
    outputs, *found = quick_call(layer, sequences, mask=mask)
    _close(outputs, expected)
    for tensor, value in zip(found, state, strict=True):
        _close(tensor, value)


@pytest.mark.parametrize("return_sequences", [False, True])
def test_bidirectional(return_sequences):
    both = keras.layers.Bidirectional(
        QRNNLayer(UNITS, kernel_size=2, return_sequences=return_sequences)
    )
    both.build((None, None, M))
    kernels = [_random(2, M, 3 * UNITS, seed=seed) for seed in (1, 2)]
    both.forward_layer.kernel.assign(kernels[0])
    both.backward_layer.kernel.assign(kernels[1])
    sequences = _random(8, 6, M)
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
    _close(quick_call(both, sequences, mask=MASK), expected)


def test_bidirectional_returns_the_states_of_both():
    both = keras.layers.Bidirectional(QRNNLayer(UNITS, return_state=True))
    tokens = np.array([[3, 4, 5, 0], [6, 0, 0, 0]])
    words = keras.layers.Embedding(9, M, mask_zero=True)(tokens)
    outputs = both(words)
    shapes = [tuple(output.shape) for output in outputs]
    assert shapes == [(2, 2 * UNITS), *[(2, UNITS), (2, 1, M)] * 2]
    again = both(words, initial_state=list(outputs[1:]))
    assert np.abs(_numpy(again[0]) - _numpy(outputs[0])).max() > 1e-3
    symbolic = both(keras.Input((None, M)))
    assert [output.shape[1:] for output in symbolic] == [
        shape[1:] for shape in shapes
    ]


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
    first, first_weights = _layer(return_sequences=True)
    second, second_weights = _layer(m=UNITS, seed=5, return_sequences=True)
    sequences = _random(8, 6, M)
    between, _, _ = qrnn_batch(sequences, *first_weights, mask=MASK)
    expected, _, _ = qrnn_batch(between, *second_weights, mask=MASK)
    _close(
        quick_call(second, quick_call(first, sequences, mask=MASK), mask=MASK),
        expected,
    )


# Chance.


def test_zoneout_in_training_sets_forget_gates_to_one():
    p, gate = 0.3, 0.25
    layer = _identity_layer(np.log(gate / (1 - gate)), zoneout=p, seed=1)
    sequences = _random(20, 30, M)
    cells = _numpy(quick_call(layer, sequences, training=True)).astype(
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
    layer, weights = _layer(
        pooling=pooling, zoneout=0.4, use_bias=True, return_sequences=True
    )
    sequences = _random(2, 6, M)
    expected, _, _ = qrnn_batch(
        sequences, *weights, pooling=pooling, zoneout=0.4
    )
    _close(quick_call(layer, sequences), expected)
    _close(quick_call(layer, sequences, training=False), expected)


def test_the_mean_over_zoneout_draws_is_near_inference():
    # One step from a given state: linear in the gate, so exactly unbiased.
    layer = _identity_layer(0.0, zoneout=0.5, seed=3)
    sequences = np.ones((4000, 1, M), "float32")
    state = [np.full((4000, M), 5, "float32")]
    drawn = _numpy(
        quick_call(layer, sequences, initial_state=state, training=True)
    )
    np.testing.assert_allclose(np.unique(drawn.round(4)), [3, 5])
    _close(drawn.mean(), 0.75 * 5 + 0.25, 0.02)
    kept = _numpy(quick_call(layer, sequences, initial_state=state))
    _close(kept, np.full(kept.shape, 4.0))


def test_zoneout_of_padding_keeps_the_state():
    layer, _ = _layer(zoneout=0.5, seed=1)
    sequences = _random(2, 6, M)
    mask = np.zeros((2, 6), bool)
    np.testing.assert_array_equal(
        _numpy(quick_call(layer, sequences, mask=mask, training=True)), 0
    )


def test_dropout_falls_on_the_inputs():
    p = 0.25
    layer = _identity_layer(-FAR, dropout=p, seed=1)
    sequences = _random(20, 30, M) + 5
    states = _numpy(quick_call(layer, sequences, training=True))
    dropped = states == 0
    assert abs(dropped.mean() - p) < 0.04
    np.testing.assert_allclose(
        states[~dropped], (sequences / (1 - p))[~dropped], rtol=1e-5
    )
    _close(quick_call(layer, sequences), sequences)


def test_without_chance_training_is_inference():
    layer, _ = _layer(return_sequences=True)
    sequences = _random(2, 5, M)
    np.testing.assert_array_equal(
        _numpy(quick_call(layer, sequences, training=True)),
        _numpy(quick_call(layer, sequences)),
    )


def test_the_seed_repeats_the_draws():
    sequences = _random(2, 9, M)
    outputs = []
    for seed in (5, 5, 6):
        layer = QRNNLayer(
            UNITS,
            kernel_initializer=keras.initializers.GlorotUniform(1),
            seed=seed,
            dropout=0.5,
            zoneout=0.5,
        )
        first = _numpy(layer(sequences, training=True))
        second = _numpy(layer(sequences, training=True))
        assert (first != second).any()
        outputs.append(first)
    np.testing.assert_array_equal(outputs[0], outputs[1])
    assert (outputs[0] != outputs[2]).any()


def test_training_with_zoneout_and_dropout_reloads(tmp_path):
    inputs = keras.Input((None, M))
    x = QRNNLayer(UNITS, zoneout=0.2, dropout=0.2, seed=1)(inputs)
    model = keras.Model(inputs, keras.layers.Dense(1)(x))
    model.compile("adam", "mse")
    sequences = _random(4, 5, M)
    history = model.fit(sequences, np.ones((4, 1)), verbose=0)
    assert np.isfinite(history.history["loss"]).all()
    scores = model.predict(sequences, verbose=0)
    model.save(tmp_path / "model.keras")
    reloaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(
        reloaded.predict(sequences, verbose=0), scores
    )


# Every way to run it.


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("masked", [False, True])
def test_every_way_to_run_it(mode, masked):
    """With `mode="graph"` batch size and length are unknown while tracing."""
    layer, weights = _layer(return_sequences=True, kernel_size=3)
    sequences = _random(8, 6, M)
    mask = MASK if masked else None
    if masked:
        outputs = run(
            lambda x, numbers: layer(x, mask=numbers[..., 0] > 0),
            sequences,
            mask[..., None].astype("float32"),
            mode=mode,
        )
    else:
        outputs = run(layer, sequences, mode=mode)
    expected, _, _ = qrnn_batch(sequences, *weights, mask=mask)
    _close(outputs, expected)


@pytest.mark.parametrize("length, jit_compile", [(5, False), (None, True)])
def test_one_step_of_fit_in_a_functional_model(length, jit_compile):
    if jit_compile and keras.backend.backend() == "torch":
        pytest.skip("on PyTorch jit_compile is torch.compile, not XLA")
    inputs = keras.Input((length, M))
    masked = keras.layers.Masking()(inputs)
    layer = QRNNLayer(UNITS, zoneout=0.1, dropout=0.1, return_sequences=True)
    states = layer(masked)
    assert states.shape == (None, length, UNITS)
    pooled = keras.layers.GlobalAveragePooling1D()(states)
    model = keras.Model(inputs, keras.layers.Dense(1)(pooled))
    model.compile("sgd", "mse", jit_compile=jit_compile)
    sequences = _random(4, 5, M)
    sequences[0, 3:] = 0
    before = layer.get_weights()[0]
    history = model.fit(sequences, np.ones((4, 1)), verbose=0)
    assert np.isfinite(history.history["loss"]).all()
    assert (layer.get_weights()[0] != before).any()
    assert model.predict(sequences, verbose=0).shape == (4, 1)


def test_symbolic_states():
    inputs = keras.Input((None, M))
    state = [keras.Input((UNITS,)), keras.Input((1, M))]
    layer = QRNNLayer(UNITS, return_state=True, return_sequences=True)
    outputs = layer(inputs, initial_state=state)
    assert [output.shape for output in outputs] == [
        (None, None, UNITS),
        (None, UNITS),
        (None, 1, M),
    ]
    model = keras.Model([inputs, *state], outputs)
    sequences = _random(2, 5, M)
    given = [_random(2, UNITS, seed=3), _random(2, 1, M, seed=4)]
    found, *_ = model.predict([sequences, *given], verbose=0)
    kernel = layer.get_weights()[0].astype("float64")
    expected, _, _ = qrnn_batch(sequences, kernel, state=given)
    _close(found, expected)


def test_computed_shapes_of_outputs_and_states():
    layer = QRNNLayer(
        UNITS, kernel_size=3, return_state=True, return_sequences=True
    )
    shapes = layer.compute_output_shape((2, None, M))
    assert [tuple(shape) for shape in shapes] == [
        (2, None, UNITS),
        (2, UNITS),
        (2, 2, M),
    ]


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_mixed_precision_over_a_long_masked_text(policy):
    layer, weights = _layer(return_sequences=True, dtype=policy)
    sequences = _random(2, 200, M)
    mask = np.arange(200) < np.array([[200], [120]])
    outputs = quick_call(layer, sequences, mask=mask)
    assert keras.backend.standardize_dtype(outputs.dtype) == policy[6:]
    assert keras.backend.standardize_dtype(layer.kernel.dtype) == "float32"
    expected, _, _ = qrnn_batch(sequences, *weights, mask=mask)
    _close(outputs, expected, 0.03)


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_gradients_in_mixed_precision(policy):
    layer, (kernel,) = _layer(return_sequences=True, dtype=policy)
    sequences = _random(2, 5, M)
    (found,) = gradients(
        lambda x: ops.cast(layer(x), "float32") ** 2,
        sequences,
        mode=QUICKEST,
    )

    def number(sequences):
        return (qrnn_batch(sequences, kernel)[0] ** 2).sum()

    expected = finite_differences(number, sequences)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found / scale, expected / scale, atol=0.05)


def test_gates_saturate_without_nan():
    layer, weights = _layer(return_sequences=True)
    sequences = 1e3 * _random(2, 6, M)
    with np.errstate(over="ignore"):
        expected, _, _ = qrnn_batch(sequences, *weights)
    _close(quick_call(layer, sequences), expected)
