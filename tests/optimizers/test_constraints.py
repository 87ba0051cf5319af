"""PoincareBall as Keras uses it."""

import json

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.optimizers.constraints import PoincareBall


def test_clips_the_rows_that_are_outside():
    rows = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]], "float32")
    clipped = ops.convert_to_numpy(PoincareBall(0.1)(ops.array(rows)))
    np.testing.assert_allclose(
        clipped, [[0.54, 0.72], [0.3, 0.4], [0, 0]], rtol=1e-6
    )
    np.testing.assert_array_equal(clipped[1:], rows[1:])


def test_keeps_the_variable_dtype():
    w = ops.ones((2, 2), dtype="float16")
    clipped = PoincareBall()(w)
    assert keras.backend.standardize_dtype(clipped.dtype) == "float16"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_rounded_rows_are_inside(dtype):
    rows = ops.convert_to_tensor([[0.0, 2.0], [3.0, 4.0], [5.0, -1.0]], dtype)
    clipped = ops.cast(PoincareBall()(rows), "float32")
    norms = np.linalg.norm(ops.convert_to_numpy(clipped), axis=1)
    assert ((norms > 0.97) & (norms < 1 - 1e-3)).all()


def test_survives_json():
    constraint = PoincareBall(epsilon=0.01)
    config = json.loads(
        json.dumps(keras.saving.serialize_keras_object(constraint))
    )
    revived = keras.saving.deserialize_keras_object(config)
    assert isinstance(revived, PoincareBall)
    assert revived.epsilon == 0.01


def test_training_keeps_an_embedding_in_the_ball(tmp_path):
    embedding = keras.layers.Embedding(
        3, 2, embeddings_constraint=PoincareBall(0.05)
    )
    model = keras.Sequential([keras.Input((1,), dtype="int32"), embedding])
    model.compile(keras.optimizers.SGD(100.0), loss="mse")
    model.fit(np.array([[0], [1]]), np.full((2, 1, 2), 7.0), verbose=0)
    norms = np.linalg.norm(embedding.get_weights()[0], axis=-1)
    np.testing.assert_allclose(norms[:2], 0.95, rtol=1e-6)

    model.save(tmp_path / "model.keras")
    reloaded = keras.models.load_model(tmp_path / "model.keras")
    assert reloaded.layers[-1].embeddings.constraint.epsilon == 0.05


@pytest.mark.once
@pytest.mark.parametrize("epsilon", [0, 1, -0.5])
def test_epsilon_error(epsilon):
    with pytest.raises(
        ValueError,
        match=f"`epsilon` must be between 0 and 1. Received: epsilon={epsilon}",
    ):
        PoincareBall(epsilon)
