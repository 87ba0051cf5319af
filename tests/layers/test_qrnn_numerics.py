"""QRNNLayer's gradients and precision, in every way to run it."""

import keras
import numpy as np
import pytest
from keras import ops

from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import functional_call
from support.layer_checks import gradients
from support.layer_checks import quick_call
from support.layer_checks import run
from support.qrnn_reference import finite_differences
from support.qrnn_reference import qrnn_batch
from support.recurrent_checks import MASK
from support.recurrent_checks import UNITS
from support.recurrent_checks import M
from support.recurrent_checks import close
from support.recurrent_checks import normal
from support.recurrent_checks import qrnn_layer


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("masked", [False, True])
def test_every_way_to_run_it(mode, masked):
    """With `mode="graph"` batch size and length are unknown while tracing."""
    layer, weights = qrnn_layer(return_sequences=True, kernel_size=3)
    sequences = normal(8, 6, M)
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
    close(outputs, expected)


@pytest.mark.parametrize(
    "pooling, mode",
    [("fo", mode) for mode in MODES] + [("f", QUICKEST), ("ifo", MODES[-1])],
)
def test_gradients(pooling, mode):
    layer, (kernel, bias) = qrnn_layer(
        pooling=pooling, use_bias=True, return_sequences=True
    )
    sequences = normal(2, 4, M)
    weights = normal(2, 4, UNITS, seed=5)

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
    layer, (kernel,) = qrnn_layer(kernel_size=3, return_sequences=True)
    sequences, weights = normal(8, 6, M), normal(8, 6, UNITS, seed=5)
    cell, window = normal(8, UNITS, seed=6), normal(8, 2, M, seed=7)

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
    layer, _ = qrnn_layer(return_sequences=True)
    for scale in (0.0, 1e3):
        sequences = scale * normal(2, 9, M)
        (by_input,) = gradients(layer, sequences, mode=QUICKEST)
        assert np.isfinite(by_input).all()


def test_gates_saturate_without_nan():
    layer, weights = qrnn_layer(return_sequences=True)
    sequences = 1e3 * normal(2, 6, M)
    with np.errstate(over="ignore"):
        expected, _, _ = qrnn_batch(sequences, *weights)
    close(quick_call(layer, sequences), expected)


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_mixed_precision_over_a_long_masked_text(policy):
    layer, weights = qrnn_layer(return_sequences=True, dtype=policy)
    sequences = normal(2, 200, M)
    mask = np.arange(200) < np.array([[200], [120]])
    outputs = quick_call(layer, sequences, mask=mask)
    assert keras.backend.standardize_dtype(outputs.dtype) == policy[6:]
    assert keras.backend.standardize_dtype(layer.kernel.dtype) == "float32"
    expected, _, _ = qrnn_batch(sequences, *weights, mask=mask)
    close(outputs, expected, 0.03)


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_gradients_in_mixed_precision(policy):
    layer, (kernel,) = qrnn_layer(return_sequences=True, dtype=policy)
    sequences = normal(2, 5, M)
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
