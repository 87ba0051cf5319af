"""Starts of weights: their values, and those of their copies."""

import keras
import numpy as np

from keras_qa.initializers import ScaledIdentity
from keras_qa.models import MRNN


def test_scaled_identity_and_its_copies():
    initializer = ScaledIdentity(0.1)
    config = keras.initializers.serialize(initializer)
    for copy in (
        initializer,
        initializer.clone(),
        keras.initializers.deserialize(config),
    ):
        values = keras.ops.convert_to_numpy(copy((3, 3)))
        np.testing.assert_allclose(values, 0.1 * np.eye(3))


def test_it_reaches_the_layers_of_a_model():
    model = MRNN(
        9,
        3,
        filters=4,
        blocks=2,
        max_document_length=5,
        position_initializer=ScaledIdentity(0.1),
    )
    for m in (model, MRNN.from_config(model.get_config())):
        (kernel,) = (w for w in m.duplex.weights if tuple(w.shape) == (5, 5))
        np.testing.assert_allclose(
            keras.ops.convert_to_numpy(kernel), 0.1 * np.eye(5)
        )
