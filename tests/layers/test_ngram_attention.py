"""NGramAttention: the layer contract, equations 4 to 8 in NumPy, masks."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import NGramAttention
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import run
from support.mrnn_reference import contextualize
from support.mrnn_reference import randomize

MAPS = np.random.default_rng(0).normal(size=(2, 3, 5, 4)).astype("float32")
MASK = np.arange(5) < np.array([[5], [2]])


def _layer(**settings):
    layer = NGramAttention(**settings)
    layer.build(MAPS.shape)
    randomize(layer)
    return layer


def _call(layer, mask=MASK, mode=QUICKEST):
    return run(
        lambda x, m: layer(x, mask=m, return_attention_scores=True),
        MAPS,
        mask,
        mode=mode,
    )


def test_layer_contract():
    check_layer(NGramAttention, {}, MAPS, (2, 5, 4), trainable_weights=3)


@pytest.mark.parametrize("mode", MODES[1:] or MODES)
@pytest.mark.parametrize(
    "settings",
    [{}, {"hidden_units": [2]}, {"weighting": "mean"}, {"weighting": "last"}],
)
def test_the_equations_over_real_positions(settings, mode):
    layer = _layer(**settings)
    for found, expected in zip(
        _call(layer, mode=mode),
        zip(
            *(contextualize(x.astype(float), layer) for x in MAPS), strict=True
        ),
        strict=True,
    ):
        np.testing.assert_allclose(
            found[MASK], np.array(expected)[MASK], rtol=1e-4, atol=1e-6
        )
        np.testing.assert_array_equal(found[~MASK], 0)


def test_without_this_attention():
    (mean, _), (last, weights) = (
        _call(_layer(weighting=name), np.ones_like(MASK))
        for name in ("mean", "last")
    )
    np.testing.assert_allclose(mean, MAPS.mean(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(last, MAPS[:, -1])
    np.testing.assert_array_equal(weights[0, 0], [0, 0, 1])


def test_equal_sums_weigh_the_same_at_first():
    layer = NGramAttention(kernel_initializer="identity")
    _, weights = layer(np.ones_like(MAPS), return_attention_scores=True)
    np.testing.assert_allclose(ops.convert_to_numpy(weights), 1 / 3, rtol=1e-6)


def test_gradients_are_finite_and_zero_at_padding():
    layer = _layer()
    (found,) = gradients(
        lambda x: ops.sin(layer(x, mask=MASK)), 1000 * MAPS, mode=QUICKEST
    )
    assert np.isfinite(found).all()
    assert (
        found[np.broadcast_to(~MASK[:, None, :, None], found.shape)] == 0
    ).all()


@pytest.mark.parametrize("dtype", ["mixed_bfloat16", "mixed_float16"])
def test_vectors_in_float32_under_mixed_precision(dtype):
    for found, expected in zip(
        _call(_layer(dtype=dtype)), _call(_layer()), strict=True
    ):
        assert found.dtype == "float32"
        np.testing.assert_allclose(found, expected, atol=0.05)


def test_rejects_another_weighting():
    with pytest.raises(ValueError, match=r"`weighting` must .*weighting='max'"):
        NGramAttention("max")
