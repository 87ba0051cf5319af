"""ValueSharedMatching against the sums of each word's bins."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import ValueSharedMatching
from support import grids_reference as reference
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.pair_texts import PAIR
from support.pair_texts import PAIRS_OF_WORDS
from support.pair_texts import call
from support.pair_texts import filled
from support.pair_texts import weights_of


@pytest.mark.parametrize("sets", [None, 2])
def test_layer_contract(sets):
    # In half precision, cosines near a limit may change their bin.
    check_layer(
        ValueSharedMatching,
        {"bins": 5, "sets": sets},
        PAIR,
        (4, 1),
        trainable_weights=2 if sets is None else 3,
        mixed_precision_tolerance=0.1,
    )


@pytest.mark.parametrize(
    ("bins", "sets", "mode"), by_turns([(21, None), (21, 3), (2, None)])
)
def test_the_equations(bins, sets, mode):
    layer = filled(ValueSharedMatching(bins, sets))
    weights = weights_of(layer)
    expected = [
        reference.value_shared_matching(*pair, bins, *weights)
        for pair in PAIRS_OF_WORDS
    ]
    found = call(layer, mode)[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.once
def test_bins_by_hand():
    layer = ValueSharedMatching(bins=5)
    cosines = [-1.0000001, -1, -0.51, -0.5, -0.1, 0, 0.49, 0.5, 0.99]
    exact = [0.9999999, 1, 1.0000001]
    found = ops.convert_to_numpy(
        layer._bins(np.array([*cosines, *exact], "float32"))
    )
    np.testing.assert_array_equal(found, [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4])


@pytest.mark.once
def test_equal_vectors_are_exact_matches():
    words = np.random.default_rng(3).normal(size=(1, 200, 300))
    layer = ValueSharedMatching(bins=600)
    layer.build([words.shape] * 2)
    weights = np.zeros((600, 1))
    weights[-1] = 7
    layer.bin_weights.assign(weights)
    score = ops.convert_to_numpy(layer([words.astype("float32")] * 2))
    assert score == pytest.approx(reference.sigmoid(7), rel=1e-5)


@pytest.mark.once
def test_needs_a_bin_beside_that_of_exact_matches():
    with pytest.raises(ValueError, match=r"`bins` must be at least 2.*=1"):
        ValueSharedMatching(bins=1)


@pytest.mark.once
def test_weights_of_one_shape_start_apart():
    layer = ValueSharedMatching(bins=8, sets=1)
    layer.build([(None, None, 8)] * 2)
    first, second = map(
        ops.convert_to_numpy, (layer.bin_weights, layer.question_weights)
    )
    assert first.shape == second.shape
    assert not np.isclose(first, second).any()
