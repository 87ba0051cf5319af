"""Points, gradients and models with which optimizers are tested."""

import keras
import numpy as np
from keras import ops

from keras_qa.optimizers.constraints import PoincareBall

POINTS = np.array([[0.6, 0.0], [0.0, -0.5], [0.1, 0.2]], "float32")
GRADIENTS = np.array([[1.0, -2.0], [0.5, 0.25], [-3.0, 1.0]], "float32")


def step_once(optimizer, points=POINTS, gradients=GRADIENTS, constraint=None):
    """The value of one variable after one step."""
    variable = keras.Variable(points)
    variable.constraint = constraint
    optimizer.apply([ops.array(gradients)], [variable])
    return ops.convert_to_numpy(variable)


def row_factors(points):
    """The factor of the inverse metric for each row, (1 - |x|²)² / 4."""
    return (1 - np.sum(points**2, -1, keepdims=True)) ** 2 / 4


def exp_map(x, v):
    """Exponential map in float64, by the usual formulas."""
    x, v = x.astype("float64"), v.astype("float64")
    x2 = np.sum(x * x, -1, keepdims=True)
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    y = np.tanh(length / (1 - x2)) * v / length
    xy = np.sum(x * y, -1, keepdims=True)
    y2 = np.sum(y * y, -1, keepdims=True)
    top = (1 + 2 * xy + y2) * x + (1 - x2) * y
    return top / (1 + 2 * xy + x2 * y2)


def data():
    """Eight texts of three ids, and a target for each."""
    rng = np.random.default_rng(0)
    return rng.integers(0, 6, (8, 3)), rng.normal(size=(8, 1))


def model_with(optimizer, **compile_arguments):
    """A compiled model of an embedding in the ball, a kernel and a bias."""
    keras.utils.set_random_seed(3)
    model = keras.Sequential(
        [
            keras.Input((3,), dtype="int32"),
            keras.layers.Embedding(
                6,
                4,
                embeddings_initializer="random_uniform",
                embeddings_constraint=PoincareBall(),
            ),
            keras.layers.Flatten(),
            keras.layers.Dense(1),
        ]
    )
    model.compile(optimizer, loss="mse", **compile_arguments)
    return model


CONFIGURATIONS = [
    {"conversion": "none"},
    {"conversion": "parameter"},
    {"conversion": "parameter", "norm": "row"},
    {"conversion": "gradient"},
    {"conversion": "manifold", "retraction": "exp"},
    {"conversion": "manifold", "retraction": "projection"},
]
