"""VectorComparison against NumPy: all pairs, finite gradients."""

import keras
import numpy as np
import pytest

from keras_qa.layers import VectorComparison
from support.convolutional_reference import com_u1
from support.convolutional_reference import com_u2
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import run

RNG = np.random.default_rng(0)
QUESTION = RNG.normal(size=(2, 3, 1, 4)).astype("float32")
ANSWER = RNG.normal(size=(2, 1, 5, 4)).astype("float32")
VECTORS = RNG.normal(size=(3, 4)).astype("float32")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("differences", "unit"), [(True, com_u1), (False, com_u2)]
)
def test_all_pairs_of_vectors(differences, unit, mode):
    layer = VectorComparison(differences)
    found = run(lambda q, a: layer([q, a]), QUESTION, ANSWER, mode=mode)
    for b, i, j in np.ndindex(2, 3, 5):
        expected = unit(QUESTION[b, i, 0], ANSWER[b, 0, j])
        np.testing.assert_allclose(found[b, i, j], expected, atol=1e-5)


@pytest.mark.parametrize("differences", [True, False])
def test_comparison_contract(differences):
    check_layer(
        VectorComparison,
        {"differences": differences},
        [QUESTION, ANSWER],
        (2, 3, 5, 6 if differences else 2),
    )


def test_inputs_of_other_ranks_broadcast():
    question, answer = keras.Input((3, 4)), keras.Input((4,))
    layer = VectorComparison()
    assert layer([question, answer]).shape == (None, 3, 6)
    found = layer([QUESTION[:, :, 0], VECTORS])
    assert found.shape == (2, 3, 6)


@pytest.mark.once
def test_gradients_are_finite_at_equal_and_at_zero_vectors():
    layer = VectorComparison()
    for x in (VECTORS, np.zeros_like(VECTORS)):
        for gradient in gradients(lambda q, a: layer([q, a]), x, x.copy()):
            assert np.isfinite(gradient).all()
