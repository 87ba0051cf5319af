"""An LSTM over texts without words, also as on a GPU."""

import importlib

import keras
import numpy as np
import pytest

from keras_qa import QALSTM
from keras_qa.layers.lstm import LSTM
from keras_qa.models import HDLSTM
from keras_qa.models import BiMPM

MASK = np.array([[1, 1, 0], [0, 0, 0], [1, 1, 1]], bool)


def words(seed=0):
    return np.random.default_rng(seed).normal(size=(3, 3, 2)).astype("float32")


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("sequences", [False, True])
def test_states_are_those_of_keras(sequences, backwards):
    arguments = {
        "units": 4,
        "return_sequences": sequences,
        "return_state": True,
        "go_backwards": backwards,
    }
    layer, known = LSTM(**arguments), keras.layers.LSTM(**arguments)
    initial = list(np.ones((2, 3, 4), np.float32))
    known.build((3, 3, 2))
    layer.build((3, 3, 2))
    layer.set_weights(known.get_weights())
    for state in (None, initial):
        pairs = zip(
            layer(words(), initial_state=state, mask=MASK),
            known(words(), initial_state=state, mask=MASK),
            strict=True,
        )
        for found, expected in pairs:
            np.testing.assert_array_equal(
                keras.ops.convert_to_numpy(found),
                keras.ops.convert_to_numpy(expected),
            )


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    """cuDNN's LSTM of TensorFlow, which returns ones; Keras checks the mask."""
    tensorflow = pytest.importorskip("tensorflow")
    if keras.backend.backend() != "tensorflow":
        pytest.skip("of TensorFlow's backend alone")
    rnn = importlib.import_module("keras.src.backend.tensorflow.rnn")
    monkeypatch.setattr(rnn, "_is_gpu_available", lambda: True)

    def cudnn(input, input_h, input_c, **others):
        length, rows = tensorflow.shape(input)[0], tensorflow.shape(input)[1]
        shape = (length, rows, input_h.shape[-1])
        return tensorflow.ones(shape), input_h + 1, input_c + 1, None, None

    monkeypatch.setattr(tensorflow.raw_ops, "CudnnRNNV3", cudnn)


@pytest.mark.compiled
@pytest.mark.parametrize("model_class", [QALSTM, HDLSTM, BiMPM])
def test_empty_texts_are_read_on_a_gpu(as_on_a_gpu, model_class):
    model = model_class(vocabulary_size=9, embedding_dim=3, units=2)
    batch = {
        "question": np.array([[3, 4], [3, 0], [0, 0]]),
        "answer": np.array([[5, 6], [0, 0], [7, 0]]),
    }
    assert np.isfinite(model.predict_on_batch(batch)).all()


def test_empty_texts_have_no_states_on_a_gpu(as_on_a_gpu):
    layer = LSTM(2, return_sequences=True, return_state=True)
    layer.build((3, 3, 2))
    states = tuple(layer(words(), mask=MASK))
    for found in states:
        assert (found[1].numpy() == 0).all() and (found[0].numpy() != 0).any()
