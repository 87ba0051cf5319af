"""AttentivePooling: the layer contract, and its four steps in NumPy."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import AttentivePooling
from support.inner_reference import softmax
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import one_compiled
from support.layer_checks import run

LENGTHS = {
    "question": np.array([4, 1, 3, 0, 2, 0]),
    "answer": np.array([2, 5, 5, 3, 0, 0]),
}


def _texts(dims=(3, 3), scale=1.0):
    rng = np.random.default_rng(0)
    return [
        (scale * rng.normal(size=(6, length, dim))).astype("float32")
        for length, dim in zip((4, 5), dims, strict=True)
    ]


def _masks(texts):
    return [
        np.arange(text.shape[1]) < lengths[:, None]
        for text, lengths in zip(texts, LENGTHS.values(), strict=True)
    ]


def _layer(dims=(3, 3)):
    layer = AttentivePooling()
    layer.build([(None, None, dim) for dim in dims])
    kernel = np.random.default_rng(1).normal(size=dims).astype("float32")
    layer.kernel.assign(kernel)
    return layer, kernel


def _pool(question, answer, kernel):
    """The equations for one pair of texts of one word at least."""
    fit = np.tanh(question @ kernel @ answer.T)
    weights = softmax(fit.max(1)), softmax(fit.max(0))
    return question.T @ weights[0], answer.T @ weights[1], *weights


def _call(layer, texts, masks, mode=QUICKEST):
    return run(
        lambda *tensors: layer(
            list(tensors[:2]),
            mask=None if masks is None else list(tensors[2:]),
            return_attention_scores=True,
        ),
        *texts,
        *(masks or ()),
        mode=mode,
    )


@pytest.mark.parametrize("dims", [(3, 3), (2, 4)])
def test_layer_contract(dims):
    texts = _texts(dims)
    question, answer = check_layer(
        AttentivePooling,
        {"kernel_initializer": {"class_name": "Orthogonal", "config": {}}},
        texts,
        [(6, dims[0]), (6, dims[1])],
        trainable_weights=1,
    )
    assert np.isfinite(question).all() and np.isfinite(answer).all()


@pytest.mark.once
def test_symbolic_weights_have_the_shapes_of_the_texts():
    texts = [keras.Input((None, 3)), keras.Input((5, 3))]
    outputs = AttentivePooling()(texts, return_attention_scores=True)
    assert [output.shape for output in outputs] == [
        (None, 3),
        (None, 3),
        (None, None),
        (None, 5),
    ]


@pytest.mark.parametrize(("dims", "mode"), one_compiled([((3, 3),), ((2, 4),)]))
def test_the_equations_over_real_positions(dims, mode):
    texts, (layer, kernel) = _texts(dims), _layer(dims)
    masks = _masks(texts)
    outputs = _call(layer, texts, masks, mode)
    for row in range(3):  # the rows where both texts have words
        pair = [
            text[row, mask[row]]
            for text, mask in zip(texts, masks, strict=True)
        ]
        expected = _pool(*pair, kernel)
        for i in range(2):
            np.testing.assert_allclose(
                outputs[i][row], expected[i], rtol=1e-4, atol=1e-6
            )
            found = outputs[2 + i][row]
            np.testing.assert_allclose(
                found[masks[i][row]], expected[2 + i], rtol=1e-5
            )


def test_the_matches_are_returned_behind_the_others():
    texts, (layer, kernel) = _texts(), _layer()
    masks = _masks(texts)
    *pooled, matches = (
        ops.convert_to_numpy(x)
        for x in layer(texts, mask=masks, return_matches=True)
    )
    question, answer = texts
    expected = np.tanh(question @ kernel @ answer.transpose(0, 2, 1))
    real = masks[0][:, :, None] & masks[1][:, None, :]
    np.testing.assert_allclose(
        matches, np.where(real, expected, -1), rtol=1e-5, atol=1e-6
    )
    for found, x in zip(pooled, layer(texts, mask=masks), strict=True):
        np.testing.assert_array_equal(found, ops.convert_to_numpy(x))
    symbols = [keras.Input((None, 3)), keras.Input((5, 3))]
    *_, matches = layer(
        symbols, return_attention_scores=True, return_matches=True
    )
    assert matches.shape == (None, None, 5)


@pytest.mark.parametrize("mode", MODES)
def test_padding_weighs_exactly_nothing(mode):
    texts, (layer, _) = _texts(), _layer()
    *_, question, answer = _call(layer, texts, _masks(texts), mode)
    for weights, mask in zip((question, answer), _masks(texts), strict=True):
        assert (weights[~mask] == 0).all()
        assert (weights[mask] > 0).all()
        np.testing.assert_allclose(
            weights.sum(1), mask.any(1).astype("float32"), rtol=1e-6
        )


def test_texts_without_words_are_zero_and_weigh_their_partner_evenly():
    texts, (layer, _) = _texts(), _layer()
    question, answer, *weights = _call(layer, texts, _masks(texts))
    assert (question[[3, 5]] == 0).all()
    assert (answer[[4, 5]] == 0).all()
    np.testing.assert_allclose(answer[3], texts[1][3, :3].mean(0), rtol=1e-5)
    np.testing.assert_allclose(question[4], texts[0][4, :2].mean(0), rtol=1e-5)
    np.testing.assert_allclose(weights[1][3], [1 / 3, 1 / 3, 1 / 3, 0, 0])


def test_padding_changes_nothing():
    texts, (layer, _) = _texts(), _layer()
    masks = _masks(texts)
    wide = [
        np.concatenate([text, 50 * np.ones_like(text)], axis=1)
        for text in texts
    ]
    # A text's padding is seen neither by itself nor by its partner.
    wide_masks = [np.pad(mask, ((0, 0), (0, mask.shape[1]))) for mask in masks]
    for found, expected in zip(
        _call(layer, wide, wide_masks)[:2],
        _call(layer, texts, masks)[:2],
        strict=True,
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.once
def test_without_masks_all_positions_are_words():
    texts, (layer, _) = _texts(), _layer()
    everything = [np.ones(text.shape[:2], bool) for text in texts]
    for found, expected in zip(
        _call(layer, texts, None), _call(layer, texts, everything), strict=True
    ):
        np.testing.assert_array_equal(found, expected)
    question, _ = layer(texts, mask=[None, everything[1]])
    np.testing.assert_array_equal(
        ops.convert_to_numpy(question), _call(layer, texts, None)[0]
    )


@pytest.mark.once
def test_swapped_texts_give_swapped_outputs():
    texts, (layer, kernel) = _texts(), _layer()
    masks = _masks(texts)
    outputs = _call(layer, texts, masks)
    layer.kernel.assign(kernel.T)
    swapped = _call(layer, texts[::-1], masks[::-1])
    for i, j in enumerate([1, 0, 3, 2]):
        np.testing.assert_allclose(swapped[i], outputs[j], rtol=1e-5, atol=1e-7)


def test_a_saturated_fit_still_leaves_padding_out():
    # tanh is -1 in float32 for every pair of words.
    texts = [np.full((6, length, 1), 9.0, "float32") for length in (4, 5)]
    layer, _ = _layer((1, 1))
    layer.kernel.assign([[-1.0]])
    *_, question, answer = _call(layer, texts, _masks(texts))
    for weights, mask in zip((question, answer), _masks(texts), strict=True):
        words = np.maximum(mask.sum(1, keepdims=True), 1)
        np.testing.assert_allclose(weights, mask / words, rtol=1e-6)


@pytest.mark.parametrize(
    ("scale", "mode"), one_compiled([(100.0,), (0.0,), (1.0,)])
)
def test_gradients_are_finite_and_zero_at_padding(scale, mode):
    texts, (layer, _) = _texts(scale=scale), _layer()
    masks = _masks(texts)

    def weighted(question, answer):
        r_q, r_a = layer([question, answer], mask=masks)
        return ops.sum(ops.sin(r_q)) + ops.sum(ops.sin(r_a))

    for gradient, mask in zip(
        gradients(weighted, *texts, mode=mode), masks, strict=True
    ):
        assert np.isfinite(gradient).all()
        assert (gradient[~mask] == 0).all()


def test_gradients_are_those_of_the_equations():
    texts, (layer, kernel) = _texts(), _layer()
    masks = _masks(texts)
    found = gradients(
        lambda q, a: sum(ops.sum(r) for r in layer([q, a], mask=masks)), *texts
    )
    row = 0
    pair = [
        text[row, mask[row]].astype(float)
        for text, mask in zip(texts, masks, strict=True)
    ]

    def total():
        return sum(r.sum() for r in _pool(*pair, kernel.astype(float))[:2])

    for side in range(2):
        for place in np.ndindex(pair[side].shape):
            value = pair[side][place]
            around = []
            for step in (1e-5, -1e-5):
                pair[side][place] = value + step
                around.append(total())
            pair[side][place] = value
            expected = (around[0] - around[1]) / 2e-5
            assert found[side][row][place] == pytest.approx(expected, abs=1e-3)
