"""PoincareDistance: the layer contract, and eq. 4 in NumPy."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import PoincareDistance
from support.layer_checks import check_layer
from support.layer_checks import gradients


def _vectors(seed, shape, radius):
    x = np.random.default_rng(seed).normal(size=shape)
    x *= radius / np.linalg.norm(x, axis=-1, keepdims=True)
    return x.astype("float32")


def _eq_4(q, a):
    q, a = q.astype("float64"), a.astype("float64")
    fraction = np.sum((q - a) ** 2, -1) / (
        (1 - np.sum(q**2, -1)) * (1 - np.sum(a**2, -1))
    )
    return np.arccosh(1 + 2 * fraction)[..., None]


@pytest.mark.parametrize(
    ("question_shape", "answer_shape", "output_shape"),
    [
        ((4, 3), (4, 3), (4, 1)),
        ((4, 1, 3), (4, 5, 3), (4, 5, 1)),
        ((4, 5, 3), (4, 5, 3), (4, 5, 1)),
    ],
)
def test_layer_contract(question_shape, answer_shape, output_shape):
    question = _vectors(0, question_shape, 0.9)
    answer = _vectors(1, answer_shape, 0.5)
    output = check_layer(
        PoincareDistance,
        {"epsilon": 1e-7, "fraction_epsilon": 1e-9},
        [question, answer],
        output_shape,
    )
    np.testing.assert_allclose(output, _eq_4(question, answer), rtol=1e-5)


def test_hand_computed_value():
    # On a line through the origin: 2 artanh(.6) + 2 artanh(.8) = ln 4 + ln 9.
    output = PoincareDistance()([np.array([[0.6, 0]]), np.array([[-0.8, 0]])])
    np.testing.assert_allclose(
        ops.convert_to_numpy(output), [[np.log(36)]], rtol=1e-6
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_inputs_are_computed_in_float32(dtype):
    question = ops.cast(_vectors(2, (6, 8), 0.99), dtype)
    answer = ops.cast(_vectors(3, (6, 8), 0.99), dtype)
    layer = PoincareDistance(dtype=f"mixed_{dtype}")
    output = layer([question, answer])
    assert keras.backend.standardize_dtype(output.dtype) == "float32"
    rounded = [
        ops.convert_to_numpy(ops.cast(x, "float32")) for x in (question, answer)
    ]
    np.testing.assert_allclose(
        ops.convert_to_numpy(output), _eq_4(*rounded), rtol=1e-4
    )


def test_float32_vectors_near_the_boundary_survive_mixed_precision():
    # Both would round to the unit sphere in float16.
    question = np.array([[0.9999, 0.0]], "float32")
    answer = np.array([[0.0, 0.9998]], "float32")
    for policy in ("mixed_float16", "mixed_bfloat16"):
        output = PoincareDistance(dtype=policy)([question, answer])
        np.testing.assert_allclose(
            ops.convert_to_numpy(output), _eq_4(question, answer), rtol=1e-4
        )


def test_fraction_epsilon_is_added_to_the_denominator():
    question = np.array([[0.6, 0.0]], "float32")
    answer = np.array([[0.0, 0.8]], "float32")
    layer = PoincareDistance(fraction_epsilon=0.1)
    # |q - a|² = 1, (1 - .36)(1 - .64) = .2304
    expected = np.arccosh(1 + 2 / 0.3304)
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer([question, answer])), [[expected]], rtol=1e-6
    )


def test_released_setting_is_finite_for_vectors_of_norm_one():
    question = _vectors(4, (500, 300), 1.0)
    answer = _vectors(5, (500, 300), 1.0)
    layer = PoincareDistance(fraction_epsilon=1e-6)
    for gradient in gradients(lambda q, a: layer([q, a]), question, answer):
        assert np.isfinite(gradient).all()
    values = ops.convert_to_numpy(layer([question, answer]))
    # u = |q - a|² / 1e-6 to within the rounding of 1 - |x|².
    squared = np.sum((question - answer) ** 2, -1, keepdims=True)
    np.testing.assert_allclose(values, np.arccosh(1 + 2e6 * squared), rtol=1e-4)


@pytest.mark.once
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0.0}, r"`epsilon` must be positive. Received: epsilon=0"),
        (
            {"fraction_epsilon": -1.0},
            r"`fraction_epsilon` must not be negative. Received: "
            r"fraction_epsilon=-1",
        ),
    ],
)
def test_argument_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        PoincareDistance(**arguments)
