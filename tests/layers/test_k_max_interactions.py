"""KMaxInteractions against loops over pairs of positions."""

import numpy as np
import pytest

from keras_qa.layers import KMaxInteractions
from keras_qa.layers.k_max_interactions import SIMILARITIES
from support import grids_reference as reference
from support.layer_checks import QUICKEST
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.pair_texts import ANSWERED
from support.pair_texts import ASKED
from support.pair_texts import PAIR
from support.pair_texts import PAIRS_OF_WORDS
from support.pair_texts import call
from support.pair_texts import filled
from support.pair_texts import weights_of

WEIGHTS = {"cosine": 0, "bilinear": 2, "tensor": 3}


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_layer_contract(similarity):
    check_layer(
        KMaxInteractions,
        {"k": 3, "similarity": similarity, "channels": 2},
        PAIR,
        (4, 6 if similarity == "tensor" else 3),
        trainable_weights=WEIGHTS[similarity],
    )


@pytest.mark.parametrize(
    ("similarity", "k", "mode"),
    by_turns([("cosine", 9), ("bilinear", 2), ("tensor", 50), ("tensor", 9)]),
)
def test_the_equations(similarity, k, mode):
    """50 are more than the grid has, 9 more than the second pair has words."""
    layer = filled(KMaxInteractions(k, similarity, 2))
    weights = weights_of(layer)
    found = call(layer, mode)
    expected = [
        reference.k_max_interactions(*pair, k, similarity, weights)
        for pair in PAIRS_OF_WORDS
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert (found[2:] == 0).all()


def test_gradients_are_zero_at_padding():
    layer = filled(KMaxInteractions(9, "tensor", 2))
    found = gradients(
        lambda q, a: layer([q, a], mask=[ASKED, ANSWERED]), *PAIR, mode=QUICKEST
    )
    for gradient, mask in zip(found, (ASKED, ANSWERED), strict=True):
        assert np.isfinite(gradient).all() and gradient[:2].any()
        assert (gradient[~mask] == 0).all()


@pytest.mark.once
def test_rejects_another_similarity():
    with pytest.raises(ValueError, match=r"`similarity` must be .*='dot'"):
        KMaxInteractions(similarity="dot")
