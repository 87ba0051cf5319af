"""WordPrediction: contract, the softmax in NumPy, classes, sharing, errors."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import WordPrediction
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import run

# Words 1 to 5, and 6 closes the sentences.
IDS = np.array([[3, 5, 1, 6], [2, 6, 0, 0], [6, 0, 0, 0]], "int32")
STATES = np.random.default_rng(0).normal(size=(3, 4, 4)).astype("float32")
CLASSES = np.array([0, 0, 1, 2, 2, 0, 3], "int32")


def _layer(**settings):
    """A built layer with random weights."""
    layer = WordPrediction(7, **settings)
    layer.build([STATES.shape, IDS.shape])
    rng = np.random.default_rng(1)
    for weight in layer.trainable_weights:
        weight.assign(rng.normal(size=weight.shape))
    return layer


def _call(layer, mode=QUICKEST):
    return run(lambda h, x: layer([h, x]), STATES, IDS, mode=mode)


def _loss(dense, state, target):
    kernel, bias = map(ops.convert_to_numpy, dense.weights)
    logits = state.astype(float) @ kernel + bias
    return np.log(np.exp(logits).sum()) - logits[target]


def _expected(layer, classes):
    expected = np.zeros((3, 3, 2))
    for row, length in enumerate([3, 1, 0]):
        for t in range(length):
            for direction, dense, state, target in (
                (0, layer.forward_logits, STATES[row, t, :2], IDS[row, t + 1]),
                (1, layer.backward_logits, STATES[row, t + 1, 2:], IDS[row, t]),
            ):
                expected[row, t, direction] = _loss(
                    dense, state, classes[target]
                )
    return expected


def test_layer_contract():
    output = check_layer(
        WordPrediction,
        {"vocabulary_size": 7},
        [STATES, IDS],
        (3, 3, 2),
        trainable_weights=4,
        non_trainable_weights=1,
    )
    assert (output[IDS[:, 1:] == 0] == 0).all()


@pytest.mark.parametrize("mode", MODES)
def test_negative_log_likelihoods_of_the_words(mode):
    layer = _layer()
    np.testing.assert_allclose(
        _call(layer, mode), _expected(layer, [0, 0, 1, 2, 3, 4, 5]), rtol=1e-4
    )


def test_words_of_a_class_are_predicted_as_one():
    layer = _layer(class_count=4)
    layer.classes.assign(CLASSES)
    found = _call(layer)
    np.testing.assert_allclose(found, _expected(layer, CLASSES), rtol=1e-4)
    assert layer.forward_logits.weights[0].shape == (2, 4)


def test_both_directions_may_share_the_softmax():
    layer = _layer(shared=True)
    assert layer.backward_logits is layer.forward_logits
    assert len(layer.trainable_weights) == 2
    np.testing.assert_allclose(
        _call(layer), _expected(layer, [0, 0, 1, 2, 3, 4, 5]), rtol=1e-4
    )


@pytest.mark.once
def test_example():
    layer = WordPrediction(10)
    states, ids = ops.zeros((1, 3, 8)), ops.array([[5, 9, 0]])
    found = ops.convert_to_numpy(layer([states, ids]))
    np.testing.assert_allclose(found[0, 0], np.log(9), atol=0.1)
    np.testing.assert_array_equal(found[0, 1], 0)


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"class_count": 0}, r"`class_count` must .*class_count=0"),
        ({"initializer_range": -1.0}, r"`initializer_range` must .*range=-1.0"),
        ({"vocabulary_size": 1}, r"`vocabulary_size` must .*vocabulary_size=1"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        WordPrediction(**{"vocabulary_size": 7, **settings}).build(
            [STATES.shape, IDS.shape]
        )
