"""CircularCorrelation: the FFT and the matrices against the direct sum."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import CircularCorrelation
from keras_qa.layers.circular_correlation import correlation_by_matrices
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import run

RNG = np.random.default_rng(0)


def direct(question, answer):
    dim = len(question)
    return [
        sum(question[i] * answer[(k + i) % dim] for i in range(dim))
        for k in range(dim)
    ]


def vectors(dim):
    return RNG.normal(size=(2, 3, dim)).astype("float32")


def test_layer_contract():
    check_layer(CircularCorrelation, {}, [*vectors(4)], (3, 4))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_the_direct_sum(dim, mode):
    pair = vectors(dim)
    layer = CircularCorrelation()
    both = run(
        lambda q, a: (layer([q, a]), correlation_by_matrices(q, a)),
        *pair,
        mode=mode,
    )
    expected = [direct(q, a) for q, a in zip(*pair, strict=True)]
    for found in both:
        np.testing.assert_allclose(found, expected, atol=2e-5)


@pytest.mark.once
def test_both_ways_stay_accurate_at_the_sizes_of_models():
    pair = vectors(512)
    expected = [direct(q, a) for q, a in zip(*pair, strict=True)]
    for found in (
        CircularCorrelation()([*pair]),
        correlation_by_matrices(*pair),
    ):
        np.testing.assert_allclose(found, expected, atol=3e-4)


def test_gradients_are_sums_of_the_other_vector():
    pair = vectors(5)
    layer = CircularCorrelation()
    weights = np.arange(5, dtype="float32")
    found = gradients(
        lambda q, a: layer([q, a]) * ops.convert_to_tensor(weights), *pair
    )
    question, answer = pair
    for row in range(3):
        to_question = [
            sum(weights[k] * answer[row, (k + i) % 5] for k in range(5))
            for i in range(5)
        ]
        to_answer = [
            sum(weights[k] * question[row, (i - k) % 5] for k in range(5))
            for i in range(5)
        ]
        np.testing.assert_allclose(found[0][row], to_question, atol=1e-5)
        np.testing.assert_allclose(found[1][row], to_answer, atol=1e-5)


@pytest.mark.once
def test_vectors_of_different_sizes():
    with pytest.raises(ValueError, match="`inputs` must have one `dim`"):
        CircularCorrelation()([np.ones((2, 3)), np.ones((2, 4))])
