"""SoftAlignment against loops over the words of two texts."""

import numpy as np
import pytest

from keras_qa.layers import SoftAlignment
from keras_qa.layers.soft_alignment import SCORES
from support.compare_aggregate_reference import aligned
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.pair_texts import ASKED
from support.pair_texts import PAIR
from support.pair_texts import PAIRS_OF_WORDS
from support.pair_texts import call
from support.pair_texts import filled
from support.pair_texts import weights_of


@pytest.mark.parametrize("score", SCORES)
def test_layer_contract(score):
    check_layer(
        SoftAlignment,
        {"score": score},
        PAIR,
        (4, 5, 3),
        trainable_weights=2 if score == "bilinear" else 0,
    )


@pytest.mark.parametrize(("score", "mode"), by_turns([(s,) for s in SCORES]))
def test_the_equations(score, mode):
    layer = filled(SoftAlignment(score))
    found = call(layer, mode)
    assert np.isfinite(found).all()
    for row, words, pair in zip(found, ASKED, PAIRS_OF_WORDS, strict=True):
        if words.any():
            expected = aligned(*pair, weights_of(layer))
            np.testing.assert_allclose(row[words], expected, rtol=1e-4)


@pytest.mark.once
def test_dot_needs_vectors_of_one_size():
    with pytest.raises(ValueError, match="vectors of one size for score='dot'"):
        SoftAlignment()([np.ones((1, 2, 3)), np.ones((1, 2, 4))])
