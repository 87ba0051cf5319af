"""HyperbolicDistance: the layer contract, and its formula in NumPy."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import HyperbolicDistance
from support.layer_checks import check_layer


def _vectors(seed, shape):
    x = np.random.default_rng(seed).normal(size=shape)
    return x.astype("float32")


def _expected(q, a, curvature=1.0, asymmetry=0.0):
    q, a = (np.sqrt(curvature) * x.astype("float64") for x in (q, a))
    r, s = (np.linalg.norm(x, axis=-1, keepdims=True) for x in (q, a))
    cosine = np.sum(q * a, -1, keepdims=True) / (r * s)
    cosh = np.cosh(r) * np.cosh(s) - np.sinh(r) * np.sinh(s) * cosine
    half = np.sqrt((cosh - 1) / 2) * np.exp(asymmetry * (s - r))
    return 2 * np.arcsinh(half) / np.sqrt(curvature)


@pytest.mark.parametrize(
    ("answer_shape", "arguments", "weights"),
    [
        ((4, 3), {}, 0),
        ((4, 3), {"trainable_curvature": True, "curvature": 0.5}, 1),
        ((4, 5, 3), {"trainable_curvature": True, "asymmetric": True}, 2),
    ],
)
def test_layer_contract(answer_shape, arguments, weights):
    question_shape = (4, *[1] * (len(answer_shape) - 2), 3)
    question, answer = _vectors(0, question_shape), _vectors(1, answer_shape)
    output = check_layer(
        HyperbolicDistance,
        arguments,
        [question, answer],
        (*answer_shape[:-1], 1),
        weights,
    )
    curvature = arguments.get("curvature", 1.0)
    expected = _expected(question, answer, curvature)
    np.testing.assert_allclose(output, expected, rtol=1e-5)


def test_hand_computed_value():
    # On a line through the origin radii add.
    output = HyperbolicDistance()([np.array([[1.0, 0]]), np.array([[-2.0, 0]])])
    np.testing.assert_allclose(ops.convert_to_numpy(output), [[3]], rtol=1e-6)


def test_learned_curvature_and_asymmetry():
    question, answer = _vectors(2, (6, 4)), _vectors(3, (6, 4))
    layer = HyperbolicDistance(trainable_curvature=True, asymmetric=True)
    layer([question, answer])
    layer.curvature_weight.assign(2.0)
    layer.asymmetry_weight.assign(-0.7)
    expected = _expected(question, answer, np.log1p(np.exp(2)), np.tanh(-0.7))
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer([question, answer])), expected, rtol=1e-5
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_inputs_are_computed_in_float32(dtype):
    question, answer = (
        ops.cast(_vectors(seed, (6, 8)), dtype) for seed in (2, 3)
    )
    output = HyperbolicDistance(dtype=f"mixed_{dtype}")([question, answer])
    assert keras.backend.standardize_dtype(output.dtype) == "float32"


@pytest.mark.once
@pytest.mark.parametrize("curvature", [1e-6, 0.5, 20.0, 1000.0])
def test_a_learned_curvature_starts_where_it_is_said(curvature):
    layer = HyperbolicDistance(curvature, trainable_curvature=True)
    layer.build([(None, 2), (None, 2)])
    assert float(layer.space()[0]) == pytest.approx(curvature, rel=1e-5)


@pytest.mark.once
def test_argument_errors():
    message = "`curvature` must be positive. Received: curvature=0"
    with pytest.raises(ValueError, match=message):
        HyperbolicDistance(curvature=0)
