"""NarrowConvolution and PerDimensionConvolution: windows within a text."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import MinOverTime
from keras_qa.layers import NarrowConvolution
from keras_qa.layers import PerDimensionConvolution
from support.convolutional_reference import narrow_convolution
from support.convolutional_reference import per_dimension_convolution
from support.layer_checks import check_layer
from support.layer_checks import one_compiled
from support.layer_checks import run

WORDS = np.random.default_rng(0).normal(size=(4, 5, 2)).astype("float32")
LENGTHS = np.array([5, 3, 1, 0])
MASK = np.arange(5) < LENGTHS[:, None]
REFERENCES = {
    NarrowConvolution: narrow_convolution,
    PerDimensionConvolution: per_dimension_convolution,
}


# That of the check's own layer, which reads outputs as they are.
@pytest.mark.filterwarnings("ignore:Layer 'flatten")
@pytest.mark.parametrize(
    ("layer_class", "size"),
    [(NarrowConvolution, 4), (PerDimensionConvolution, 8)],
)
def test_layer_contract(layer_class, size):
    arguments = {"filters": 4, "kernel_size": 3}
    check_layer(
        layer_class, arguments, WORDS, (4, 5, size), trainable_weights=2
    )


@pytest.mark.parametrize(("size", "mode"), one_compiled([(3,), (1,), (2,)]))
@pytest.mark.parametrize("layer_class", REFERENCES)
def test_every_window_within_a_text(layer_class, size, mode):
    layer = layer_class(4, size)
    layer.build((None, None, 2))
    rng = np.random.default_rng(size)
    weights = [rng.normal(size=weight.shape) for weight in layer.weights]
    layer.set_weights(weights)

    def windows(words, mask):
        return layer(words, mask=mask), layer.compute_mask(words, mask)

    output, mask = run(windows, WORDS, MASK, mode=mode)
    for row, length in enumerate(LENGTHS):
        count = max(length - size + 1, 1) if length else 0
        np.testing.assert_array_equal(mask[row], np.arange(5) < count)
        if length:
            words = WORDS[row, :length]
            expected = REFERENCES[layer_class](words, *weights)
            np.testing.assert_allclose(
                output[row, :count], expected.reshape(count, -1), atol=1e-5
            )


@pytest.mark.parametrize(
    ("size", "pooling", "mode"),
    [
        *one_compiled([(2, "max"), (1, "max")]),
        *one_compiled([(3, "min"), (1, "min")]),
    ],
)
def test_the_extreme_of_each_filter_over_the_windows(size, pooling, mode):
    layer = PerDimensionConvolution(4, size, pooling=pooling)
    layer.build((None, None, 2))
    rng = np.random.default_rng(size)
    weights = [rng.normal(size=weight.shape) for weight in layer.weights]
    layer.set_weights(weights)
    output = run(lambda x, mask: layer(x, mask=mask), WORDS, MASK, mode=mode)
    assert layer.compute_mask(WORDS, MASK) is None
    for row, length in enumerate(LENGTHS):
        outputs = per_dimension_convolution(WORDS[row, :length], *weights)
        expected = np.zeros(8)
        if length:
            outputs = np.reshape(outputs, (-1, 8))
            expected = getattr(outputs, pooling)(axis=0)
        np.testing.assert_allclose(output[row], expected, atol=1e-5)


@pytest.mark.once
def test_pooled_outputs_are_those_of_pooling_after_it():
    """Also where padding comes first, or nowhere."""
    for mask in (None, MASK[:, ::-1]):
        layers = [
            PerDimensionConvolution(4, 2, pooling=pooling)
            for pooling in (None, "min")
        ]
        for layer in layers:
            layer.build((None, None, 2))
        layers[1].set_weights(layers[0].get_weights())
        windows = layers[0](WORDS, mask=mask)
        expected = MinOverTime()(
            windows, mask=layers[0].compute_mask(WORDS, mask)
        )
        found = layers[1](WORDS, mask=mask)
        np.testing.assert_allclose(
            *map(ops.convert_to_numpy, (found, expected)), atol=1e-6
        )
    with pytest.raises(ValueError, match=r"`pooling` must be .*'mean'"):
        PerDimensionConvolution(4, 2, pooling="mean")


@pytest.mark.once
def test_without_a_mask_all_positions_are_words():
    for layer_class in REFERENCES:
        mask = layer_class(4, 2).compute_mask(WORDS)
        expected = np.tile([True, True, True, True, False], (4, 1))
        np.testing.assert_array_equal(ops.convert_to_numpy(mask), expected)


@pytest.mark.once
def test_windows_begin_at_words_where_padding_comes_first():
    mask = np.array([[False, True, True, True], [False, False, True, False]])
    found = NarrowConvolution(4, 2).compute_mask(WORDS[:2, :4], mask)
    expected = [[False, True, True, False], [False, False, True, False]]
    np.testing.assert_array_equal(ops.convert_to_numpy(found), expected)
