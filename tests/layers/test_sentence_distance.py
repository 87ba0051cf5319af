"""SentenceDistance: the layer contract, known values, all pairs."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import SentenceDistance
from support.layer_checks import check_layer
from support.layer_checks import gradients


def test_layer_contract():
    rng = np.random.default_rng(0)
    q, a = rng.normal(size=(2, 4, 3)).astype("float32")
    norms = np.linalg.norm(q, axis=1) * np.linalg.norm(a, axis=1)
    output = check_layer(
        SentenceDistance,
        {"initial_weight": 2.5},
        [q, a],
        (4, 1),
        trainable_weights=1,
    )
    expected = 2.5 * (1 - (q * a).sum(1) / norms)
    np.testing.assert_allclose(output[:, 0], expected, rtol=1e-5)


def test_all_pairs_and_zero_vectors():
    q = np.array([[3, 4], [0, 0], [1e-4, 0]], "float32")
    a = np.array([[4, 3], [-3, -4]], "float32")
    layer = SentenceDistance()
    layer.build([(None, 2)] * 2)
    found = ops.convert_to_numpy(layer.pair_distances(q, a))
    np.testing.assert_allclose(
        found, [[0.04, 2], [1, 1], [0.2, 1.6]], atol=1e-6
    )
    pairs = ops.convert_to_numpy(layer([q[:2], a]))
    np.testing.assert_allclose(pairs[:, 0], np.diag(found), atol=1e-6)
    for gradient in gradients(lambda *pair: layer(list(pair)), q[:2], a):
        assert np.isfinite(gradient).all()


def test_errors():
    with pytest.raises(ValueError, match="one `dim`"):
        SentenceDistance()([np.ones((2, 3)), np.ones((2, 4))])
    with pytest.raises(ValueError, match="Received: initial_weight=nan"):
        SentenceDistance(np.nan)
