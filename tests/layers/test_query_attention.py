"""QueryAttention: the layer contract, equations 9 to 12, all pairs."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import QueryAttention
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import run
from support.mrnn_reference import distance
from support.mrnn_reference import randomize

RNG = np.random.default_rng(0)
TEXTS = [RNG.normal(size=(4, n, 3)).astype("float32") for n in (3, 5)]
LENGTHS = [3, 1, 2, 0], [2, 5, 0, 4]
MASKS = [
    np.arange(text.shape[1]) < np.array(lengths)[:, None]
    for text, lengths in zip(TEXTS, LENGTHS, strict=True)
]
# Eagerly the tests without a mode run.
COMPILED = MODES[1:] or MODES
SETTINGS = [{}, {"hidden_units": (4,)}, {"weighting": "mean"}]


def _layer(longest=6, **settings):
    layer = QueryAttention(longest, **settings)
    layer.build([(None, None, 3)] * 2)
    randomize(layer, 0.5)
    return layer


def _call(layer, texts=TEXTS, masks=MASKS, mode=QUICKEST):
    return run(
        lambda q, d, m_q, m_d: layer(
            [q, d], mask=[m_q, m_d], return_attention_scores=True
        ),
        *texts,
        *masks,
        mode=mode,
    )


def _pairs(layer, texts=TEXTS, masks=MASKS, mode=QUICKEST):
    return run(layer.pair_distances, *texts, *masks, mode=mode)


def _words(side, row):
    return TEXTS[side][row, : LENGTHS[side][row]].astype(float)


def test_layer_contract():
    check_layer(
        QueryAttention,
        {"max_document_length": 6},
        TEXTS,
        (4, 1),
        trainable_weights=3,
    )


@pytest.mark.parametrize("mode", COMPILED)
@pytest.mark.parametrize(
    ("longest", "settings"), list(zip([6, 3, 4], SETTINGS, strict=True))
)
def test_the_equations_over_real_positions(longest, settings, mode):
    layer = _layer(longest, **settings)
    distances, weights = _call(layer, mode=mode)
    for row in (0, 1):
        expected, aw = distance(_words(0, row), _words(1, row), layer)
        np.testing.assert_allclose(distances[row, 0], expected, rtol=1e-4)
        n, m = aw.shape
        np.testing.assert_allclose(weights[row, :n, :m], aw, rtol=1e-4)
        assert weights[row].sum() == pytest.approx(n, rel=1e-5)
    # An empty document is all zeros, an empty query nothing.
    lengths = np.linalg.norm(_words(0, 2), axis=1)
    np.testing.assert_allclose(distances[2, 0], lengths.sum(), rtol=1e-5)
    assert distances[3, 0] == 0
    np.testing.assert_array_equal(weights[2:], 0)
    assert weights.shape == (4, 3, 5)


@pytest.mark.parametrize("mode", COMPILED)
@pytest.mark.parametrize("settings", SETTINGS)
def test_all_pairs_are_as_pair_by_pair(settings, mode):
    layer = _layer(4, **settings)
    rows, columns = (x.ravel() for x in np.indices((4, 3)))
    found = _pairs(
        layer, [TEXTS[0], TEXTS[1][:3]], [MASKS[0], MASKS[1][:3]], mode
    )
    expected, _ = _call(
        layer,
        [TEXTS[0][rows], TEXTS[1][columns]],
        [MASKS[0][rows], MASKS[1][columns]],
    )
    assert found.shape == (4, 3)
    np.testing.assert_allclose(found.ravel(), expected[:, 0], rtol=1e-4)


def test_all_pairs_stay_apart_far_from_the_origin():
    # The squares that cancel are 300 times as large as what remains.
    layer = _layer()
    texts = [x + np.float32(10) for x in TEXTS]
    found = np.diag(_pairs(layer, texts))[:2]
    expected = [
        distance(_words(0, row) + 10, _words(1, row) + 10, layer)[0]
        for row in (0, 1)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-3)


def test_padding_behind_the_words_changes_nothing():
    layer = _layer(12)
    wide = [
        np.pad(text, ((0, 0), (0, 4), (0, 0)), constant_values=50)
        for text in TEXTS
    ]
    masks = [np.pad(mask, ((0, 0), (0, 4))) for mask in MASKS]
    for x, y in (
        (_call(layer, wide, masks)[0], _call(layer)[0]),
        (_pairs(layer, wide, masks), _pairs(layer)),
    ):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


@pytest.mark.once
def test_without_masks_all_positions_are_words():
    layer = _layer()
    masks = [np.ones_like(mask) for mask in MASKS]
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer(TEXTS)),
        _call(layer, masks=masks)[0],
        rtol=1e-6,
    )
    np.testing.assert_allclose(
        ops.convert_to_numpy(layer.pair_distances(*TEXTS)),
        _pairs(layer, masks=masks),
        rtol=1e-6,
    )


def test_a_document_that_has_the_question_is_near():
    # A new layer looks up what is alike, at any place.
    texts = [20 * np.eye(3, dtype="float32")[None]]
    texts.append(texts[0][:, ::-1])
    layer = QueryAttention(9)
    found = ops.convert_to_numpy(layer(texts))
    np.testing.assert_allclose(found, 0, atol=1e-5)
    others = ops.convert_to_numpy(layer([texts[0], -texts[1]]))
    assert others[0, 0] > 60


@pytest.mark.parametrize("mode", COMPILED)
@pytest.mark.parametrize("scale", [0.0, 100.0])
def test_gradients_are_finite_and_zero_at_padding(scale, mode):
    layer = _layer()
    texts = [np.float32(scale) * text for text in TEXTS]

    def output(query, document):
        pairs = layer.pair_distances(query, document, *MASKS)
        return ops.sin(layer([query, document], mask=MASKS)) + ops.sin(pairs)

    for found, mask in zip(
        gradients(output, *texts, mode=mode), MASKS, strict=True
    ):
        assert np.isfinite(found).all()
        assert (found[~mask] == 0).all()


def test_no_gradient_where_two_texts_are_equal():
    same = TEXTS[0][:, :1]
    found = gradients(lambda q, d: QueryAttention(2)([q, d]), same, same)
    np.testing.assert_array_equal(found, 0)


@pytest.mark.parametrize("dtype", ["mixed_bfloat16", "mixed_float16"])
def test_all_in_float32_under_mixed_precision(dtype):
    mixed = _layer(dtype=dtype)
    for found, expected in zip(_call(mixed), _call(_layer()), strict=True):
        assert found.dtype == "float32"
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_document_length": 0}, "must be .* max_document_length=0"),
        ({"weighting": "last"}, "`weighting` must be .* weighting='last'"),
    ],
)
def test_rejects_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        QueryAttention(**{"max_document_length": 3, **arguments})
