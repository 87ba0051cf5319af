"""DistanceMatches and AttentionFeatureMaps against loops over positions."""

import keras
import numpy as np
import pytest

from keras_qa.layers import AttentionFeatureMaps
from keras_qa.layers import DistanceMatches
from support import grids_reference as reference
from support.layer_checks import COMPILED
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.pair_texts import ANSWERED
from support.pair_texts import ASKED
from support.pair_texts import PAIR
from support.pair_texts import PAIRS_OF_WORDS
from support.pair_texts import QUESTION
from support.pair_texts import call
from support.pair_texts import filled
from support.pair_texts import weights_of


def test_layer_contracts():
    check_layer(DistanceMatches, {}, PAIR, (4, 5, 4))
    check_layer(
        AttentionFeatureMaps,
        {"kernel_regularizer": "l2"},
        PAIR,
        [(4, 5, 6), (4, 4, 6)],
        trainable_weights=2,
    )


@pytest.mark.parametrize("mode", COMPILED)
def test_matches(mode):
    found = call(DistanceMatches(), mode)
    expected = np.zeros((4, 5, 4))
    for row, (question, answer) in zip(expected, PAIRS_OF_WORDS, strict=True):
        row[: len(question), : len(answer)] = reference.distance_matches(
            question, answer
        )
    assert expected[0, 2, 1] == 1
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_equal_vectors_match_without_rounding(scale):
    words = np.random.default_rng(3).normal(size=(1, 50, 300)) * scale
    words = words.astype("float32")
    found = keras.ops.convert_to_numpy(DistanceMatches()([words, words]))
    assert (np.diagonal(found[0]) == 1).all() and (found < 1).sum() == 50 * 49


def test_gradients_are_finite():
    """Of equal vectors, whose distance has none, and of zeros."""
    for pair in (PAIR, [QUESTION, QUESTION], [0 * x for x in PAIR]):
        found = gradients(lambda *x: DistanceMatches()(x), *pair, mode=QUICKEST)
        assert all(np.isfinite(x).all() for x in found)


@pytest.mark.parametrize("mode", COMPILED[-1:])
def test_feature_maps(mode):
    layer = filled(AttentionFeatureMaps())
    found = call(layer, mode)
    for row, pair in enumerate(PAIRS_OF_WORDS):
        expected = reference.feature_maps(*pair, *weights_of(layer))
        for text, words in zip(found, expected, strict=True):
            np.testing.assert_allclose(
                text[row, : len(words)], words, rtol=1e-4, atol=1e-5
            )
            assert (text[row, len(words) :, 3:] == 0).all()


@pytest.mark.once
def test_kernels_start_apart_or_are_one():
    same = keras.Input((5, 3)), keras.Input((5, 3))
    apart, shared = AttentionFeatureMaps(), AttentionFeatureMaps(shared=True)
    apart(same), shared(same)
    first, second = map(np.array, apart.weights)
    assert (first != second).all()
    assert len(shared.weights) == 1
    assert shared.answer_kernel is shared.question_kernel
    with pytest.raises(ValueError, match=r"one length.*answer_length=4"):
        AttentionFeatureMaps(shared=True)([same[0], keras.Input((4, 3))])


def test_feature_maps_have_the_masks_of_the_texts():
    masks = AttentionFeatureMaps().compute_mask(PAIR, [ASKED, ANSWERED])
    assert masks[0] is ASKED and masks[1] is ANSWERED


@pytest.mark.once
def test_feature_maps_need_fixed_lengths():
    texts = [keras.Input((n, 3)) for n in (5, None)]
    with pytest.raises(ValueError, match=r"fixed lengths.*answer_length=None"):
        AttentionFeatureMaps()(texts)
