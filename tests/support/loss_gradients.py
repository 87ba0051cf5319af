"""Gradients of losses, on every backend."""

import keras
import numpy as np


def gradient(loss, labels, scores):
    """The gradient of a loss: what a step of SGD takes from a weight."""
    weight = keras.layers.Embedding(len(scores), len(scores[0]))
    model = keras.Sequential([keras.Input((), dtype="int32"), weight])
    weight.set_weights([np.asarray(scores, np.float32)])
    model.compile(keras.optimizers.SGD(1.0), loss=loss)
    model.train_on_batch(np.arange(len(scores)), np.asarray(labels))
    return np.asarray(scores) - weight.get_weights()[0]
