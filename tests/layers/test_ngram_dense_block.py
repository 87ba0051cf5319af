"""NGramDenseBlock: the layer contract, the blocks in NumPy, and padding."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import NGramDenseBlock
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import run
from support.mrnn_reference import dense_maps
from support.mrnn_reference import randomize

RNG = np.random.default_rng(0)
WORDS = RNG.normal(size=(3, 5, 2)).astype("float32")
LENGTHS = np.array([5, 2, 0])
MASK = np.arange(5) < LENGTHS[:, None]
SETTINGS = [
    {},
    {"kernel_size": 2, "pooling": "avg", "pool_size": 3},
    {"pooling": None, "batch_normalization": False},
]


def _layer(blocks=3, **settings):
    layer = NGramDenseBlock(4, blocks, **settings)
    layer.build((None, None, 2))
    randomize(layer)
    return layer


def _call(layer, words=WORDS, mask=MASK, mode=QUICKEST):
    return run(lambda x, m: layer(x, mask=m), words, mask, mode=mode)


def test_layer_contract():
    check_layer(
        NGramDenseBlock,
        {"filters": 4, "blocks": 2, "kernel_initializer": "he_normal"},
        WORDS,
        (3, 2, 5, 4),
        trainable_weights=10,
        non_trainable_weights=4,
    )


def test_the_kernels_have_the_printed_shapes():
    layer = NGramDenseBlock(filters=8, blocks=4)
    layer.build((None, None, 5))
    kernels = [tuple(block.kernel.shape) for block in layer.stack]
    assert kernels == [(1, 5, 8), (3, 8, 8), (3, 16, 8), (3, 24, 8)]
    scales = [float(ops.convert_to_numpy(b.scale)) for b in layer.stack]
    assert scales == [1.0] * 4
    assert layer.count_params() == sum(
        np.prod(kernel) + 1 + 5 * 8 for kernel in kernels
    )


@pytest.mark.once
def test_the_start_of_later_scales():
    layer = NGramDenseBlock(filters=2, blocks=3, later_scale=0.05)
    layer.build((None, None, 2))
    scales = [ops.convert_to_numpy(b.scale) for b in layer.stack]
    np.testing.assert_allclose(scales, [1, 0.05, 0.05])


# Eagerly the tests of training run.
@pytest.mark.parametrize("mode", MODES[1:] or MODES)
@pytest.mark.parametrize("settings", SETTINGS)
def test_the_blocks_over_real_positions(settings, mode):
    layer = _layer(**settings)
    found = _call(layer, mode=mode)
    expected = dense_maps([WORDS[0], WORDS[1, :2]], layer)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(
        found[1, :, :2], expected[1], rtol=1e-4, atol=1e-4
    )
    padding = np.broadcast_to(~MASK[:, None, :, None], found.shape)
    np.testing.assert_array_equal(found[padding], 0)


def test_training_normalises_by_the_words_of_the_batch():
    layer = _layer(momentum=0.75)
    before = [ops.convert_to_numpy(w) for w in layer.non_trainable_weights]
    expected = dense_maps([WORDS[0], WORDS[1, :2]], layer, training=True)
    found = ops.convert_to_numpy(layer(WORDS, mask=MASK, training=True))
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(
        found[1, :, :2], expected[1], rtol=1e-3, atol=1e-3
    )
    # The first block's: those of seven words, of which one is no padding.
    kernel = ops.convert_to_numpy(layer.stack[0].kernel)[0]
    convolved = WORDS[MASK] @ kernel
    statistics = layer.stack[0].normalization
    for found, old, new in (
        (statistics.moving_mean, before[0], convolved.mean(0)),
        (statistics.moving_variance, before[1], convolved.var(0)),
    ):
        np.testing.assert_allclose(
            ops.convert_to_numpy(found), 0.75 * old + 0.25 * new, rtol=1e-4
        )


@pytest.mark.parametrize("training", [False, True])
def test_padding_changes_nothing(training):
    wide = np.pad(WORDS, ((0, 1), (2, 3), (0, 0)), constant_values=50)
    mask = np.pad(MASK, ((0, 1), (2, 3)))
    found, expected = (
        ops.convert_to_numpy(_layer()(words, mask=m, training=training))
        for words, m in ((wide, mask), (WORDS, MASK))
    )
    np.testing.assert_allclose(
        found[:3, :, 2:-3], expected, rtol=1e-4, atol=1e-5
    )


def test_the_mask_is_passed_on():
    ids = keras.Input((None,), dtype="int32")
    words = keras.layers.Embedding(5, 2, mask_zero=True)(ids)
    maps = NGramDenseBlock(4, 2)(words)
    assert maps.shape == (None, 2, None, 4)
    assert maps._keras_mask.shape == (None, None)


def test_without_a_mask_all_positions_are_words():
    layer = _layer()
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer(WORDS)),
        _call(layer, mask=np.ones_like(MASK)),
        rtol=1e-5,
        atol=1e-5,
    )


@pytest.mark.parametrize("training", [False, True])
def test_gradients_are_finite_and_zero_at_padding(training):
    layer = _layer()

    def output(words):
        return ops.sin(layer(words, mask=MASK, training=training))

    (found,) = gradients(output, WORDS, mode=QUICKEST)
    assert np.isfinite(found).all()
    assert (found[~MASK] == 0).all()
    assert (found[MASK] != 0).all()


def test_blocks_of_one_initialiser_differ():
    layer = NGramDenseBlock(4, 2, kernel_size=1)
    layer.build((None, None, 4))
    kernels = [ops.convert_to_numpy(b.kernel) for b in layer.stack]
    assert (kernels[0] != kernels[1]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"filters": 0}, "`filters` must be a positive .* filters=0"),
        ({"blocks": 0}, "`blocks` must be a positive .* blocks=0"),
        ({"kernel_size": 0}, "`kernel_size` must be .* kernel_size=0"),
        ({"pool_size": 0}, "`pool_size` must be .* pool_size=0"),
        ({"pooling": "sum"}, "`pooling` must be one of .* pooling='sum'"),
        ({"momentum": 1.0}, "`momentum` must be .* momentum=1.0"),
    ],
)
def test_rejects_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        NGramDenseBlock(**{"filters": 4, "blocks": 2, **arguments})
