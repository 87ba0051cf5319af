"""NeuralTensor against its sums, term by term."""

import numpy as np
import pytest

from keras_qa.layers import NeuralTensor
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(3, 4)).astype("float32")
OTHERS = RNG.normal(size=(3, 2)).astype("float32")


def test_layer_contract():
    check_layer(
        NeuralTensor,
        {"units": 5, "activation": "relu"},
        [VECTORS, OTHERS],
        (3, 5),
        trainable_weights=3,
    )


@pytest.mark.parametrize("mode", MODES)
def test_every_slice(mode):
    layer = NeuralTensor(3)
    layer.build([(None, 4), (None, 2)])
    slices, v = RNG.normal(size=(3, 4, 2)), RNG.normal(size=(6, 3))
    bias = RNG.normal(size=3)
    layer.set_weights([np.concatenate(slices, axis=1), v, bias])
    found = run(lambda q, a: layer([q, a]), VECTORS, OTHERS, mode=mode)
    for row, (q, a) in enumerate(zip(VECTORS, OTHERS, strict=True)):
        for k in range(3):
            total = bias[k]
            for i in range(4):
                total += q[i] * v[i, k]
                for j in range(2):
                    total += q[i] * slices[k, i, j] * a[j]
            for j in range(2):
                total += a[j] * v[4 + j, k]
            assert found[row, k] == pytest.approx(np.tanh(total), abs=1e-5)
