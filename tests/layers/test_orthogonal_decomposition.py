"""OrthogonalDecomposition against loops over the words of two texts."""

import numpy as np
import pytest

from keras_qa.layers import OrthogonalDecomposition
from support.inner_reference import decomposed
from support.layer_checks import COMPILED
from support.layer_checks import check_layer
from support.layer_checks import gradients

RNG = np.random.default_rng(0)
TEXT = RNG.normal(size=(2, 4, 3)).astype("float32")
ALIGNED = RNG.normal(size=(2, 4, 3)).astype("float32")
ALIGNED[1, 2:] = 0
ALIGNED[0, 1] = 2 * TEXT[0, 1]


def test_layer_contract_and_the_equations():
    found = check_layer(
        OrthogonalDecomposition, {}, [TEXT, ALIGNED], [TEXT.shape] * 2
    )
    for parallel, orthogonal, text, aligned in zip(
        *found, TEXT, ALIGNED, strict=True
    ):
        parts = decomposed(text, aligned)
        np.testing.assert_allclose(parallel, parts[0], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(orthogonal, parts[1], rtol=1e-4, atol=1e-6)
    # Parallel words have no orthogonal part.
    np.testing.assert_allclose(found[1][0, 1], 0, atol=1e-6)


@pytest.mark.parametrize("mode", COMPILED)
def test_gradients_are_finite_where_nothing_is_aligned(mode):
    layer = OrthogonalDecomposition()

    def total(text, aligned):
        parallel, orthogonal = layer([text, aligned])
        return parallel + 2 * orthogonal

    to_text, to_aligned = gradients(total, TEXT, ALIGNED, mode=mode)
    assert np.isfinite(to_aligned).all()
    np.testing.assert_allclose(to_text[1, 2:], 2)


@pytest.mark.once
def test_the_mask_of_the_text_is_passed_on():
    mask = np.array([[True] * 4, [True, False, False, False]])
    layer = OrthogonalDecomposition()
    masks = layer.compute_mask([TEXT, ALIGNED], [mask, None])
    assert all(found is mask for found in masks)
    assert layer.compute_mask([TEXT, ALIGNED]) == [None, None]
