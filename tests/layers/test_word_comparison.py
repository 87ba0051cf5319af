"""WordComparison against the six functions, one word at a time."""

import numpy as np
import pytest

from keras_qa.layers import WordComparison
from keras_qa.layers.word_comparison import FUNCTIONS
from support.compare_aggregate_reference import word_comparison
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import run
from support.pair_texts import QUESTION
from support.pair_texts import filled
from support.pair_texts import weights_of

ALIGNED = np.random.default_rng(2).normal(size=QUESTION.shape).astype("f4")
PAIR = [QUESTION, ALIGNED]


# The others have a network as "ntn", or none as "multiply".
@pytest.mark.parametrize(
    ("function", "size", "weights"),
    [("ntn", 2, 2), ("euclidean_cosine", 2, 0), ("multiply", 3, 0)],
)
def test_layer_contract(function, size, weights):
    check_layer(
        WordComparison,
        {"function": function, "units": 2},
        PAIR,
        (4, 5, size),
        trainable_weights=weights,
    )


@pytest.mark.parametrize(
    ("function", "units", "mode"),
    by_turns([*((f, 2) for f in FUNCTIONS), ("submult_nn", None)]),
)
def test_the_functions(function, units, mode):
    layer = filled(WordComparison(function, units), [QUESTION.shape] * 2)
    found = run(lambda *pair: layer([*pair]), *PAIR, mode=mode)
    for i, j in np.ndindex(4, 5):
        expected = word_comparison(
            function, QUESTION[i, j], ALIGNED[i, j], weights_of(layer)
        )
        np.testing.assert_allclose(found[i, j], expected, 1e-4, 1e-5)


@pytest.mark.once
def test_the_mask_is_that_of_the_text():
    layer = WordComparison()
    masks = [np.array([[True, False]]), np.array([[True, True]])]
    assert layer.compute_mask(None, masks) is masks[0]
    assert layer.compute_mask(None) is None


@pytest.mark.once
def test_gradients_are_finite_at_equal_and_at_zero_vectors():
    layer = WordComparison("euclidean_cosine")
    for x in (QUESTION, np.zeros_like(QUESTION)):
        for gradient in gradients(lambda q, a: layer([q, a]), x, x.copy()):
            assert np.isfinite(gradient).all()


@pytest.mark.once
def test_rejects_arguments():
    with pytest.raises(ValueError, match=r"`function` must be .*='dot'"):
        WordComparison("dot")
    with pytest.raises(ValueError, match=r"`units` must be .*=0"):
        WordComparison(units=0)
