"""SoftmaxBlock: the layer contract, values by hand and NumPy, masks."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import SoftmaxBlock
from support.layer_checks import check_layer
from support.layer_checks import one_compiled
from support.layer_checks import run
from support.mrnn_reference import randomize
from support.mrnn_reference import softmax_block

VALUES = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")


def _layer(**settings):
    layer = SoftmaxBlock(4, **settings)
    layer.build((None, None, 4))
    randomize(layer)
    return layer


@pytest.mark.parametrize("hidden_units", [(), (3, 5)])
def test_layer_contract(hidden_units):
    output = check_layer(
        SoftmaxBlock,
        {"size": 4, "hidden_units": hidden_units},
        VALUES,
        (2, 3, 4),
        trainable_weights=3 * (len(hidden_units) + 1),
    )
    np.testing.assert_allclose(output.sum(-1), 1, rtol=1e-6)


def test_a_new_identity_is_a_softmax_with_a_slope():
    layer = SoftmaxBlock(3, kernel_initializer="identity")
    found = ops.convert_to_numpy(layer(np.array([[0.0, -4.0, np.log(2)]])))
    # PReLU makes -4 to -1.
    expected = np.array([1, np.exp(-1), 2])
    np.testing.assert_allclose(found[0], expected / expected.sum(), rtol=1e-5)


@pytest.mark.parametrize(("count", "mode"), one_compiled([(3,), (1,)]))
@pytest.mark.parametrize("hidden_units", [(), (3, 5)])
def test_fewer_values_are_as_padded(hidden_units, count, mode):
    layer = _layer(hidden_units=hidden_units)
    values = VALUES[..., :count]
    found = run(lambda x: layer(x), values, mode=mode)
    np.testing.assert_allclose(found, softmax_block(values, layer), rtol=1e-4)
    padded = np.pad(values, ((0, 0), (0, 0), (0, 4 - count)))
    masked = run(lambda x: layer(x, mask=np.arange(4) < count), padded)
    np.testing.assert_allclose(masked[..., :count], found, rtol=1e-5)
    assert (masked[..., count:] == 0).all()


def test_no_value_counts():
    found = run(lambda x: _layer()(x, mask=np.zeros(4, bool)), VALUES)
    np.testing.assert_array_equal(found, 0)


def test_values_beyond_half_precision():
    layer = SoftmaxBlock(2, kernel_initializer="identity", dtype="float16")
    found = layer(np.array([[100000.0, 100001.0]], "float32"))
    np.testing.assert_allclose(
        ops.convert_to_numpy(found)[0], [0.26894, 0.73106], atol=1e-4
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 0}, "`size` must be a positive.*size=0"),
        (
            {"size": 2, "hidden_units": (3, 0)},
            r"`hidden_units` must be a list of positive .*units=\(3, 0\)",
        ),
    ],
)
def test_rejects_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        SoftmaxBlock(**arguments)


def test_rejects_more_values_than_its_size():
    with pytest.raises(ValueError, match=r"at most size=4 .*\(2, 5\)"):
        _layer()(np.zeros((2, 5), "float32"))
