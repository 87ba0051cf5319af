"""BilinearSimilarity against its sum, term by term."""

import numpy as np
import pytest

from keras_qa.layers import BilinearSimilarity
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(3, 4)).astype("float32")
OTHERS = RNG.normal(size=(3, 2)).astype("float32")


@pytest.mark.parametrize("use_bias", [True, False])
def test_layer_contract(use_bias):
    check_layer(
        BilinearSimilarity,
        {"use_bias": use_bias},
        [VECTORS, OTHERS],
        (3, 1),
        trainable_weights=1 + use_bias,
    )


@pytest.mark.parametrize("mode", MODES)
def test_the_bilinear_form(mode):
    layer = BilinearSimilarity(use_bias=True)
    layer.build([(None, 4), (None, 2)])
    matrix = RNG.normal(size=(4, 2))
    layer.set_weights([matrix, np.array([0.5])])
    found = run(lambda q, a: layer([q, a]), VECTORS, OTHERS, mode=mode)
    for row in range(3):
        expected = 0.5
        for i in range(4):
            for j in range(2):
                expected += VECTORS[row, i] * matrix[i, j] * OTHERS[row, j]
        assert found[row, 0] == pytest.approx(expected, abs=1e-5)
