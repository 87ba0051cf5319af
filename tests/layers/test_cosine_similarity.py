"""CosineSimilarity: the layer contract, known values, zero vectors."""

import numpy as np
from keras import ops

from keras_qa.layers import CosineSimilarity
from support.layer_checks import check_layer
from support.layer_checks import gradients


def test_layer_contract():
    rng = np.random.default_rng(0)
    q, a = rng.normal(size=(2, 4, 3)).astype("float32")
    norms = np.linalg.norm(q, axis=1) * np.linalg.norm(a, axis=1)
    output = check_layer(CosineSimilarity, {}, [q, a], (4, 1))
    np.testing.assert_allclose(output[:, 0], (q * a).sum(1) / norms, rtol=1e-5)


def test_hand_computed_values():
    q = np.array([[3, 4], [3, 4], [1e3, 0], [1e-4, 0]], "float32")
    a = np.array([[4, 3], [-3, -4], [0, 7], [2, 0]], "float32")
    output = ops.convert_to_numpy(CosineSimilarity()([q, a]))
    np.testing.assert_allclose(output[:, 0], [0.96, -1, 0, 1], atol=1e-6)


def test_zero_vectors_have_cosine_0_and_no_gradient():
    q = np.array([[0, 0], [0, 0], [1, 2]], "float32")
    a = np.array([[0, 0], [1, 2], [0, 0]], "float32")
    layer = CosineSimilarity()
    np.testing.assert_array_equal(ops.convert_to_numpy(layer([q, a])), 0)
    for gradient in gradients(lambda *pair: layer(list(pair)), q, a):
        np.testing.assert_array_equal(gradient, 0)
