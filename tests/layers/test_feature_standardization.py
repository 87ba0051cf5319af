"""FeatureStandardization: the layer contract, adapting, and its errors."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import FeatureStandardization
from support.layer_checks import check_layer

ROWS = np.array([[1.0, 5.0], [3.0, 5.0], [8.0, 5.0]], "float32")


def _numpy(x):
    return ops.convert_to_numpy(x)


def test_layer_contract():
    output = check_layer(
        FeatureStandardization, {}, ROWS, (3, 2), non_trainable_weights=2
    )
    np.testing.assert_array_equal(output, ROWS)


def test_adapted_features_have_mean_0_and_deviation_1():
    layer = FeatureStandardization()
    layer.adapt(ROWS)
    output = _numpy(layer(ROWS))
    np.testing.assert_allclose(output[:, 0].mean(), 0, atol=1e-6)
    np.testing.assert_allclose(output[:, 0].std(), 1, rtol=1e-6)
    # Mean 4 and deviation sqrt((9 + 1 + 16) / 3).
    np.testing.assert_allclose(
        _numpy(layer(np.array([[7.0, 5.0]])))[0, 0], 1.0190493
    )


def test_a_constant_feature_keeps_its_scale():
    layer = FeatureStandardization()
    layer.adapt(ROWS)
    np.testing.assert_array_equal(
        _numpy(layer(np.array([[4.0, 7.0]]))), [[0.0, 2.0]]
    )


def test_little_spread_is_not_magnified():
    """Float32 has no digits left to tell such features apart."""
    layer = FeatureStandardization()
    layer.adapt(np.array([[0.9990, -3.0], [0.9992, 5.0]]))
    np.testing.assert_allclose(_numpy(layer.deviation), [0.9992 / 200, 4.0])


def test_the_statistics_are_weights():
    layer, twin = FeatureStandardization(), FeatureStandardization()
    twin.build((None, 2))
    layer.adapt(ROWS)
    twin.set_weights(layer.get_weights())
    np.testing.assert_array_equal(_numpy(twin(ROWS)), _numpy(layer(ROWS)))


def test_integers_and_half_precision_are_computed_in_float32():
    layer = FeatureStandardization()
    layer.adapt(np.array([[1.0], [4.0]]))
    output = _numpy(layer(np.array([[5], [7]])))
    np.testing.assert_allclose(output, [[5 / 3], [3]], rtol=1e-6)
    layer = FeatureStandardization(dtype="mixed_float16")
    layer.adapt(np.array([[2000.0], [2050.5]]))
    output = layer(np.array([[2050.5]], "float32"))
    assert keras.backend.standardize_dtype(output.dtype) == "float32"
    np.testing.assert_array_equal(_numpy(output), [[1]])


def test_adapting_again_reaches_a_compiled_model():
    model = keras.Sequential([keras.Input((2,)), FeatureStandardization()])
    model.predict(ROWS, verbose=0)
    model.layers[0].adapt(ROWS)
    np.testing.assert_allclose(
        model.predict(ROWS, verbose=0)[:, 0].std(), 1, rtol=1e-6
    )


@pytest.mark.once
@pytest.mark.parametrize(
    ("features", "message"),
    [
        (np.zeros(2), r"`features` must have the shape .*\(2,\)"),
        (np.zeros((0, 2)), r"at least one row.*\(0, 2\)"),
        (np.zeros((4, 3)), r"Received: features.shape=\(4, 3\)"),
        ([[1.0, np.nan]], r"must be finite. Received: features=\[ 1. nan\]"),
    ],
)
def test_errors(features, message):
    layer = FeatureStandardization()
    layer.build((None, 2))
    with pytest.raises(ValueError, match=message):
        layer.adapt(features)
