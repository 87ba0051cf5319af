"""AnswerAttention: the layer contract, and equations 11 to 13 in NumPy."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import AnswerAttention
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import one_compiled
from support.layer_checks import run
from support.text_reference import attend

RNG = np.random.default_rng(0)
QUESTION = RNG.normal(size=(4, 2)).astype("float32")
STATES = RNG.normal(size=(4, 5, 3)).astype("float32")
# Padding may stand anywhere.
MASK = np.array(
    [
        [True] * 5,
        [True, True, False, False, False],
        [False, True, False, True, True],
        [False] * 5,
    ]
)
WITH_WORDS = [0, 1, 2]
POOLINGS = ["avg", "max"]


def _layer(pooling="max", units=6, scale=1.0, **settings):
    layer = AnswerAttention(units, pooling, **settings)
    layer.build([(None, 2), (None, None, 3)])
    rng = np.random.default_rng(1)
    for weight in layer.weights:
        weight.assign(scale * rng.normal(size=weight.shape))
    return layer


def _weights(layer):
    projections = (
        layer.answer_projection,
        layer.question_projection,
        layer.score,
    )
    w_am, w_qm, w_ms = (
        ops.convert_to_numpy(p.kernel).astype(float) for p in projections
    )
    return w_am, w_qm, w_ms[:, 0]


def _call(layer, question=QUESTION, states=STATES, mask=MASK, mode=QUICKEST):
    return run(
        lambda q, x, m: layer(
            [q, x], mask=[None, m], return_attention_scores=True
        ),
        question,
        states,
        mask,
        mode=mode,
    )


def test_layer_contract():
    check_layer(
        AnswerAttention,
        {"pooling": "avg", "kernel_regularizer": "l2"},
        [QUESTION, STATES],
        (4, 3),
        trainable_weights=3,
    )


def test_units_are_by_default_those_of_the_states():
    sizes = [tuple(w.shape) for w in _layer(units=None).weights]
    assert sizes == [(3, 3), (2, 3), (3, 1)]
    assert sum(w.size for w in _weights(_layer(units=7))) == 7 * (3 + 2 + 1)


def test_weights_of_one_initialiser_differ():
    layer = AnswerAttention(3)
    layer.build([(None, 3), (None, None, 3)])
    w_am, w_qm, _ = _weights(layer)
    assert (w_am != w_qm).all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("shift", [-9.0, 0.0])
def test_the_equations_over_real_positions(shift, pooling, mode):
    # At -9 all states are negative: padding must be no floor under them.
    layer, states = _layer(pooling), STATES + np.float32(shift)
    pooled, weights = _call(layer, states=states, mode=mode)
    for row in WITH_WORDS:
        expected = attend(
            QUESTION[row], states[row, MASK[row]], *_weights(layer), pooling
        )
        np.testing.assert_allclose(
            pooled[row], expected[0], rtol=1e-4, atol=1e-6
        )
        np.testing.assert_allclose(
            weights[row, MASK[row]], expected[1], rtol=1e-4
        )
    np.testing.assert_array_equal(pooled[3], 0)
    assert (weights[~MASK] == 0).all()
    np.testing.assert_allclose(
        weights.sum(1), MASK.any(1).astype("float32"), rtol=1e-6
    )


@pytest.mark.parametrize("pooling", POOLINGS)
def test_padding_changes_nothing(pooling):
    layer = _layer(pooling)
    wide = np.pad(STATES, ((0, 0), (2, 3), (0, 0)), constant_values=50)
    mask = np.pad(MASK, ((0, 0), (2, 3)))
    for found, expected in zip(
        _call(layer, states=wide, mask=mask), _call(layer), strict=True
    ):
        found = found[:, 2:-3] if found.shape[1] > 5 else found
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_keys_are_computed_once_for_many_questions():
    layer = _layer()
    keys = layer.keys(STATES)
    np.testing.assert_allclose(
        ops.convert_to_numpy(keys), STATES @ _weights(layer)[0], rtol=1e-4
    )
    for question in (QUESTION, QUESTION[::-1].copy()):
        found = layer([question, STATES, keys], mask=[None, MASK, None])
        np.testing.assert_array_equal(
            ops.convert_to_numpy(found), _call(layer, question)[0]
        )


def test_the_question_moves_the_weights():
    layer = _layer()
    weights = _call(layer)[1], _call(layer, QUESTION[::-1].copy())[1]
    assert np.abs(weights[0] - weights[1])[WITH_WORDS].max() > 1e-2


@pytest.mark.once
def test_without_masks_all_positions_are_words():
    layer, everything = _layer(), np.ones_like(MASK)
    expected = _call(layer, mask=everything)
    for mask in (None, [None, None]):
        found = layer(
            [QUESTION, STATES], mask=mask, return_attention_scores=True
        )
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_allclose(ops.convert_to_numpy(x), y, rtol=1e-6)


@pytest.mark.parametrize(
    ("scale", "mode"), one_compiled([(1000.0,), (0.0,), (1.0,)])
)
def test_gradients_are_finite_and_zero_at_padding(scale, mode):
    layer = _layer(scale=scale)

    def output(question, states):
        return ops.sin(layer([question, states], mask=[None, MASK]))

    question, states = gradients(output, QUESTION, STATES, mode=mode)
    assert np.isfinite(question).all() and np.isfinite(states).all()
    assert (states[~MASK] == 0).all()
    assert (question[3] == 0).all()


@pytest.mark.parametrize("dtype", ["mixed_bfloat16", "mixed_float16"])
def test_weights_and_vector_in_float32_under_mixed_precision(dtype):
    mixed = _call(_layer(dtype=dtype))
    for found, expected in zip(mixed, _call(_layer()), strict=True):
        assert found.dtype == "float32"
        np.testing.assert_allclose(found, expected, atol=0.05)
    assert (mixed[1][~MASK] == 0).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"units": 0}, "`units` must be a positive .* units=0"),
        ({"pooling": "sum"}, "`pooling` must be one of .* pooling='sum'"),
    ],
)
def test_rejects_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        AnswerAttention(**arguments)
