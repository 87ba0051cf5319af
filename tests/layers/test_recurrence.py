"""linear_recurrence against a loop over time, forward and backward."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers.recurrence import linear_recurrence
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import gradients
from support.layer_checks import run
from support.qrnn_reference import finite_differences

LENGTHS = [0, 1, 2, 7, 8, 9, 50, 65, 200]


def _recurrence(decay, inputs, initial):
    """c_t = decay_t c_{t-1} + inputs_t, one step at a time in float64."""
    cell, states = initial, np.zeros(inputs.shape)
    for t in range(inputs.shape[1]):
        cell = states[:, t] = decay[:, t] * cell + inputs[:, t]
    return states


def _recurrence_gradients(decay, inputs, initial, weights):
    """Derivatives of sum(weights * states), by hand, backwards in time.

    The derivative g_t of everything from step t on with respect to c_t is
    weights_t + decay_{t+1} g_{t+1}.
    """
    states = _recurrence(decay, inputs, initial)
    by_decay, by_inputs = np.zeros(decay.shape), np.zeros(inputs.shape)
    carried = np.zeros(initial.shape)
    for t in reversed(range(inputs.shape[1])):
        total = weights[:, t] + carried
        by_inputs[:, t] = total
        by_decay[:, t] = total * (states[:, t - 1] if t else initial)
        carried = decay[:, t] * total
    return by_decay, by_inputs, carried


def _case(length, batch=2, units=3, seed=0):
    """decay in (0, 1), inputs, initial state and weights, float32."""
    random = np.random.default_rng(seed)
    shape = (batch, length, units)
    arrays = (
        random.uniform(size=shape),
        random.normal(size=shape),
        random.normal(size=(batch, units)),
        random.normal(size=shape),
    )
    return [array.astype("float32") for array in arrays]


def _doubles(*arrays):
    return [array.astype("float64") for array in arrays]


def test_a_case_by_hand():
    states = linear_recurrence(
        np.array([[[0.5], [0.0], [2.0]]], "float32"),
        np.array([[[1.0], [3.0], [-1.0]]], "float32"),
        np.array([[4.0]], "float32"),
    )
    # 0.5 * 4 + 1, 0 * 3 + 3, 2 * 3 - 1
    np.testing.assert_array_equal(
        ops.convert_to_numpy(states), [[[3.0], [3.0], [5.0]]]
    )


def test_the_gradient_loop_is_the_derivative_of_the_forward_loop():
    decay, inputs, initial, weights = _doubles(*_case(5))
    expected = _recurrence_gradients(decay, inputs, initial, weights)
    for position, gradient in enumerate(expected):

        def weighted(array, position=position):
            arrays = [decay, inputs, initial]
            arrays[position] = array
            return (weights * _recurrence(*arrays)).sum()

        arrays = [decay, inputs, initial]
        numeric = finite_differences(weighted, arrays[position])
        np.testing.assert_allclose(gradient, numeric, atol=1e-7)


@pytest.mark.parametrize("with_initial", [False, True])
@pytest.mark.parametrize(
    "length, batch", [(0, 3), (1, 1), (2, 3), (8, 3), (9, 1), (200, 3)]
)
def test_forward(length, batch, with_initial):
    decay, inputs, initial, _ = _case(length, batch)
    given = [decay, inputs, initial][: 2 + with_initial]
    states = run(linear_recurrence, *given, mode=QUICKEST)
    expected = _recurrence(
        *_doubles(decay, inputs, initial if with_initial else initial * 0)
    )
    assert states.shape == (batch, length, 3)
    assert states.dtype == "float32"
    np.testing.assert_allclose(states, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "length, batch", [*((length, 3) for length in LENGTHS), (9, 1)]
)
def test_gradients(length, batch):
    decay, inputs, initial, weights = _case(length, batch)
    found = gradients(
        lambda *arrays: ops.multiply(linear_recurrence(*arrays), weights),
        decay,
        inputs,
        initial,
        mode=QUICKEST,
    )
    expected = _recurrence_gradients(*_doubles(decay, inputs, initial, weights))
    for gradient, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, value, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_time_major(mode):
    decay, inputs, initial, weights = _case(9)
    exact = _doubles(decay, inputs, initial)

    def transposed(decay, inputs, initial):
        decay, inputs = (ops.transpose(x, (1, 0, 2)) for x in (decay, inputs))
        states = linear_recurrence(decay, inputs, initial, time_major=True)
        return ops.transpose(states, (1, 0, 2))

    arrays = [decay, inputs, initial]
    np.testing.assert_allclose(
        run(transposed, *arrays, mode=mode),
        _recurrence(*exact),
        rtol=1e-5,
        atol=1e-6,
    )
    found = gradients(
        lambda *arrays: ops.multiply(transposed(*arrays), weights),
        *arrays,
        mode=mode,
    )
    expected = _recurrence_gradients(*exact, *_doubles(weights))
    for gradient, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, value, rtol=1e-4, atol=1e-5)


def test_gradients_without_an_initial_state():
    decay, inputs, initial, weights = _case(9)
    found = gradients(
        lambda *arrays: ops.multiply(linear_recurrence(*arrays), weights),
        decay,
        inputs,
        mode=QUICKEST,
    )
    expected = _recurrence_gradients(
        *_doubles(decay, inputs, initial * 0, weights)
    )
    for gradient, value in zip(found, expected[:2], strict=True):
        np.testing.assert_allclose(gradient, value, rtol=1e-4, atol=1e-5)


def test_the_gradient_reaches_one_argument_alone():
    decay, inputs, initial, weights = _case(9)
    expected = _recurrence_gradients(*_doubles(decay, inputs, initial, weights))
    arrays = [ops.convert_to_tensor(a) for a in (decay, inputs, initial)]
    for position, value in enumerate(expected):

        def weighted(array, position=position):
            given = [*arrays[:position], array, *arrays[position + 1 :]]
            return ops.multiply(linear_recurrence(*given), weights)

        (found,) = gradients(
            weighted,
            (decay, inputs, initial)[position],
            mode=QUICKEST,
        )
        np.testing.assert_allclose(found, value, rtol=1e-4, atol=1e-5)


def test_the_gradient_passes_through_a_chain_of_recurrences():
    # What leaves one recurrence is the input and the decay of the next.
    decay, inputs, initial, weights = _case(6)

    def chained(function, decay, inputs, initial):
        inner = function(decay, inputs, initial)
        return function(inner * 0.1, inner, initial)

    def number(array, position):
        arrays = _doubles(decay, inputs, initial)
        arrays[position] = array
        return (chained(_recurrence, *arrays) * weights).sum()

    found = gradients(
        lambda *arrays: ops.multiply(
            chained(linear_recurrence, *arrays), weights
        ),
        decay,
        inputs,
        initial,
        mode=QUICKEST,
    )
    for position, gradient in enumerate(found):
        expected = finite_differences(
            lambda array, position=position: number(array, position),
            (decay, inputs, initial)[position],
        )
        np.testing.assert_allclose(gradient, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("length", [1, 9, 200])
def test_decays_of_exactly_zero_and_one(length):
    # A form that divides by products of decays, or takes their logarithm,
    # breaks down here.
    decay, inputs, initial, weights = _case(length)
    decay = np.random.default_rng(1).integers(0, 2, decay.shape)
    decay = decay.astype("float32")
    decay[0, :, 0], decay[0, :, 1] = 0, 1
    exact = _doubles(decay, inputs, initial)
    states = run(linear_recurrence, decay, inputs, initial, mode=QUICKEST)
    np.testing.assert_allclose(
        states, _recurrence(*exact), rtol=1e-5, atol=1e-5
    )
    np.testing.assert_array_equal(states[0, :, 0], inputs[0, :, 0])
    found = gradients(
        lambda *arrays: ops.multiply(linear_recurrence(*arrays), weights),
        decay,
        inputs,
        initial,
        mode=QUICKEST,
    )
    expected = _recurrence_gradients(*exact, *_doubles(weights))
    for gradient, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, value, rtol=1e-4, atol=1e-4)


def test_a_decay_of_one_without_input_keeps_the_state_to_the_bit():
    _, _, initial, _ = _case(1)
    states = run(
        linear_recurrence,
        np.ones((2, 200, 3), "float32"),
        np.zeros((2, 200, 3), "float32"),
        initial,
        mode=QUICKEST,
    )
    np.testing.assert_array_equal(
        states, np.broadcast_to(initial[:, None], states.shape)
    )


def test_vanishing_and_growing_decays_stay_exact():
    # 1e-30 to the power of 65 is 0 in float32, 1.2 to the power of 65 is 1e5.
    decay, inputs, initial, weights = _case(65)
    decay[0], decay[1] = 1e-30, -1.2
    exact = _doubles(decay, inputs, initial)
    states = run(linear_recurrence, decay, inputs, initial, mode=QUICKEST)
    np.testing.assert_allclose(states, _recurrence(*exact), rtol=1e-3)
    found = gradients(
        lambda *arrays: ops.multiply(linear_recurrence(*arrays), weights),
        decay,
        inputs,
        initial,
        mode=QUICKEST,
    )
    expected = _recurrence_gradients(*exact, *_doubles(weights))
    for gradient, value in zip(found, expected, strict=True):
        scale = np.abs(value).max()
        np.testing.assert_allclose(
            gradient / scale, value / scale, rtol=1e-3, atol=1e-6
        )


@pytest.mark.parametrize("length", [1, 50])
@pytest.mark.parametrize("mode", MODES)
def test_every_way_to_run_it(mode, length):
    """With `mode="graph"` batch size and length are unknown while tracing."""
    decay, inputs, initial, weights = _case(length)
    exact = _doubles(decay, inputs, initial)
    states = run(linear_recurrence, decay, inputs, initial, mode=mode)
    np.testing.assert_allclose(
        states, _recurrence(*exact), rtol=1e-5, atol=1e-6
    )
    found = gradients(
        lambda *arrays: ops.multiply(linear_recurrence(*arrays), weights),
        decay,
        inputs,
        initial,
        mode=mode,
    )
    expected = _recurrence_gradients(*exact, *_doubles(weights))
    for gradient, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, value, rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="traced TensorFlow graphs"
)
@pytest.mark.parametrize("with_initial", [False, True])
def test_one_graph_serves_all_lengths(with_initial):
    import tensorflow as tf

    unknown = tf.TensorSpec([None, None, 3])

    @tf.function(input_signature=[unknown, unknown, tf.TensorSpec([None, 3])])
    def traced(decay, inputs, initial):
        with tf.GradientTape() as tape:
            tape.watch([decay, inputs])
            states = linear_recurrence(
                decay, inputs, initial if with_initial else None
            )
            total = tf.reduce_sum(states)
        return states, tape.gradient(total, [decay, inputs])

    # A text has a step at least, if only one of padding.
    for length in filter(None, LENGTHS):
        decay, inputs, initial, weights = _case(length)
        if not with_initial:
            initial = initial * 0
        states, found = traced(decay, inputs, initial)
        exact = _doubles(decay, inputs, initial)
        np.testing.assert_allclose(
            states, _recurrence(*exact), rtol=1e-5, atol=1e-6
        )
        ones = np.ones(weights.shape)
        expected = _recurrence_gradients(*exact, ones)
        for gradient, value in zip(found, expected[:2], strict=True):
            np.testing.assert_allclose(gradient, value, rtol=1e-4, atol=1e-5)


class _Recurrence(keras.layers.Layer):
    def call(self, decay, inputs):
        return linear_recurrence(decay, inputs)


@pytest.mark.parametrize("length", [None, 5])
def test_a_layer_around_it_works_in_a_functional_model(length):
    symbolic = [keras.Input((length, 3)), keras.Input((length, 3))]
    states = _Recurrence()(*symbolic)
    assert states.shape == (None, length, 3)
    model = keras.Model(symbolic, states)
    decay, inputs, initial, _ = _case(5)
    np.testing.assert_allclose(
        model.predict([decay, inputs], verbose=0),
        _recurrence(*_doubles(decay, inputs, initial * 0)),
        rtol=1e-5,
        atol=1e-6,
    )


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision(dtype):
    # Of 200 states near 100 none may be off by more than a few roundings:
    # a sum that is kept in half precision drifts further.
    decay, inputs, initial, _ = _case(200)
    decay, inputs = decay * 0 + 1, np.abs(inputs)
    decay, inputs, initial = (
        ops.cast(array, dtype) for array in (decay, inputs, initial)
    )
    states = linear_recurrence(decay, inputs, initial)
    assert keras.backend.standardize_dtype(states.dtype) == dtype
    exact = _doubles(
        *(
            ops.convert_to_numpy(ops.cast(array, "float32"))
            for array in (decay, inputs, initial)
        )
    )
    np.testing.assert_allclose(
        ops.convert_to_numpy(ops.cast(states, "float32")),
        _recurrence(*exact),
        rtol=0.01,
        atol=0.01,
    )


@pytest.mark.skipif(
    keras.backend.backend() == "jax", reason="JAX needs a flag for float64"
)
def test_double_precision_is_kept():
    decay, inputs, initial, weights = _doubles(*_case(50))
    states = run(linear_recurrence, decay, inputs, initial, mode=QUICKEST)
    assert states.dtype == "float64"
    np.testing.assert_allclose(
        states, _recurrence(decay, inputs, initial), rtol=1e-12, atol=1e-12
    )
    found = gradients(
        lambda *arrays: ops.multiply(linear_recurrence(*arrays), weights),
        decay,
        inputs,
        initial,
        mode=QUICKEST,
    )
    expected = _recurrence_gradients(decay, inputs, initial, weights)
    for gradient, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, value, rtol=1e-10, atol=1e-10)
