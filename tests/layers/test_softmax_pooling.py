"""SoftmaxPooling against loops over the words of a text."""

import numpy as np
import pytest

from keras_qa.layers import SoftmaxPooling
from support.layer_checks import COMPILED
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import run
from support.memory_reference import softmax_mean
from support.pair_texts import ASKED
from support.pair_texts import QUESTION

SCORES = np.random.default_rng(3).normal(size=(4, 5)).astype("float32") * 3


def pooled(values, scores):
    return SoftmaxPooling()([values, scores], mask=[ASKED, None])


def test_layer_contract():
    check_layer(SoftmaxPooling, {}, [QUESTION, SCORES], (4, 3))


@pytest.mark.parametrize("mode", COMPILED)
def test_the_equations(mode):
    found = run(pooled, QUESTION, SCORES, mode=mode)
    for row in range(2):
        words = ASKED[row]
        expected = softmax_mean(QUESTION[row][words], SCORES[row][words])
        np.testing.assert_allclose(found[row], expected, rtol=1e-5)
    assert (found[2:] == 0).all()


def test_gradients_are_zero_at_padding():
    for gradient in gradients(pooled, QUESTION, SCORES, mode=QUICKEST):
        assert np.isfinite(gradient).all() and gradient[:2].any()
        assert (gradient[~ASKED] == 0).all()
