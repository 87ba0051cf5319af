"""RiemannianOptimizer takes TensorFlow's sparse gradients as they are."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.optimizers.constraints import PoincareBall
from keras_qa.optimizers.riemannian import RiemannianOptimizer
from support.optimizer_checks import CONFIGURATIONS
from support.optimizer_checks import data
from support.optimizer_checks import model_with

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="only TensorFlow has sparse gradients",
)


def _sparse(rows, indices, count):
    import tensorflow as tf

    return tf.IndexedSlices(
        tf.constant(rows), tf.constant(indices), tf.constant([count, 2])
    )


@pytest.mark.parametrize("arguments", CONFIGURATIONS)
@pytest.mark.parametrize("inner", ["SGD", "Adagrad", "Adam", "RMSprop"])
def test_sparse_rows_equal_dense_rows(inner, arguments):
    # Row 2 is touched three times, rows 1 and 4 not at all.
    points = np.random.default_rng(1).uniform(-0.5, 0.5, (5, 2))
    points = points.astype("float32")
    rows = np.random.default_rng(2).normal(size=(5, 2)).astype("float32")
    indices = [2, 0, 2, 3, 2]
    dense = np.zeros_like(points)
    np.add.at(dense, indices, rows)

    results = []
    for gradient in (_sparse(rows, indices, 5), ops.array(dense)):
        optimizer = RiemannianOptimizer(
            getattr(keras.optimizers, inner)(0.1), **arguments
        )
        variable = keras.Variable(points)
        variable.constraint = PoincareBall()
        for _ in range(2):
            optimizer.apply([gradient], [variable])
        results.append(ops.convert_to_numpy(variable))
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-7)
    if inner == "SGD":
        np.testing.assert_array_equal(results[0][[1, 4]], points[[1, 4]])


@pytest.mark.parametrize("arguments", CONFIGURATIONS)
def test_sparse_gradients_reach_the_inner_optimizer_sparse(arguments):
    import tensorflow as tf

    seen = []

    class Recorder(keras.optimizers.SGD):
        def update_step(self, gradient, variable, learning_rate):
            seen.append(gradient)
            super().update_step(gradient, variable, learning_rate)

    model = model_with(
        RiemannianOptimizer(Recorder(0.1), **arguments), jit_compile=False
    )
    model.fit(*data(), batch_size=4, verbose=0)
    by_table = [g for g in seen if isinstance(g, tf.IndexedSlices)]
    assert by_table
    assert all(g.values.shape[-1] == 4 for g in by_table)
