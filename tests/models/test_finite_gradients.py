"""Gradients stay finite on the batches that are hardest for each model.

Equal texts (whose distance is 0), points at the boundary of the ball, rows
without words on either side or both, one word again and again.
"""

import keras
import numpy as np
import pytest

from support.all_models import SCORERS
from support.all_models import UNTRAINED
from support.all_models import build
from support.all_models import inputs_for

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="takes TensorFlow's tape"
)

# To trace the others' steps takes seconds each.
QUICK = (
    *("APCNN", "AttentiveCNN", "CNNRanker", "CosineQA", "FengCNN", "HyperQA"),
    *("HyperQA by expmap", "LogCosineQA", "QACNN"),
)

QUESTION = np.array(
    [[3, 7, 2, 9], [3, 7, 2, 9], [0] * 4, [0] * 4, [5, 0, 0, 0], [4] * 4],
    "int32",
)
ANSWER = np.array(
    [[3, 7, 2, 9], [8, 1, 6, 0], [0] * 4, [4, 5, 0, 0], [0] * 4, [4] * 4],
    "int32",
)


def gradients_of(model):
    """A step of training towards scores of either sign, as one function."""
    inputs = {
        name: tf.constant(value)
        for name, value in inputs_for(model, QUESTION, ANSWER).items()
    }
    signs = tf.constant([[1.0], [-1.0], [1.0], [-1.0], [1.0], [-1.0]])
    # Steps of bounded length: plain descent runs away from such weights.
    optimizer = keras.optimizers.Adam(0.05)
    optimizer.build(model.trainable_variables)

    @tf.function
    def steps(count):
        finite = tf.constant(True)
        for _ in tf.range(count):
            with tf.GradientTape() as tape:
                scores = model(inputs, training=True)
                loss = tf.reduce_mean(tf.nn.relu(1.0 - signs * scores))
                loss += tf.add_n([0.0, *model.losses])
            gradients = tape.gradient(loss, model.trainable_variables)
            for gradient in gradients:
                if gradient is not None:
                    values = tf.convert_to_tensor(gradient)
                    finite &= tf.reduce_all(tf.math.is_finite(values))
            optimizer.apply_gradients(
                zip(gradients, model.trainable_variables, strict=True)
            )
        return finite & tf.reduce_all(tf.math.is_finite(scores))

    return steps


def train(name, count):
    keras.utils.set_random_seed(0)
    model = build(name)
    steps = gradients_of(model)
    assert steps(tf.constant(count // 2))
    # Far away from where training begins: at the boundary of the ball, and
    # where gates and softmaxes are saturated.
    for weight in model.trainable_weights:
        weight.assign(weight * 10)
    assert steps(tf.constant(count - count // 2))
    for weight in model.weights:
        assert np.isfinite(keras.ops.convert_to_numpy(weight)).all(), (
            weight.path
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_fifty_steps(name):
    train(name, 50)


@pytest.mark.large
@pytest.mark.parametrize("name", sorted(set(SCORERS) - {*UNTRAINED}))
def test_a_thousand_steps(name):
    train(name, 1000)
