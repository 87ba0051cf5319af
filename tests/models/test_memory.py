"""InferSent, and the models of positions and memories, against NumPy loops."""

import numpy as np
import pytest

from keras_qa.models import RNNPOA
from keras_qa.models import InferSent
from keras_qa.models import JointBiLSTM
from keras_qa.models import KeyValueMemory
from keras_qa.models import MultihopSequentialLSTM
from keras_qa.models import RelationNetwork
from keras_qa.models import SelfLSTM
from support import memory_reference
from support.all_models import scores_of
from support.convolutional_reference import make_model
from support.layer_checks import QUICKEST
from support.model_checks import check_parts

QUESTION = np.array(
    [[3, 7, 7, 2, 9], [9, 4, 1, 0, 0], [4, 0, 0, 0, 0], [0] * 5], "int32"
)
ANSWER = np.array(
    [
        [8, 3, 1, 5, 9, 2, 7],
        [5, 1, 1, 4, 0, 0, 0],
        [4, 5, 2] + [0] * 4,
        [0] * 7,
    ],
    "int32",
)
WITH_WORDS = range(3)
SENTENCES = {"units": 3, "hidden_units": 4}
SETTINGS = [
    (InferSent, SENTENCES),
    (InferSent, {**SENTENCES, "pooling": "mean", "shared_encoder": False}),
    (RelationNetwork, {"units": 3, "depth": 2, "hidden_units": 4}),
    (RelationNetwork, {"units": 4, "depth": 1, "hidden_layers": 1}),
    (JointBiLSTM, {"units": 3, "depth": 2}),
    (RNNPOA, {"units": 2, "influence_units": 3, "sigma": 2.0}),
    (RNNPOA, {"units": 2, "attention_units": 3, "max_distance": 2}),
    (MultihopSequentialLSTM, {"units": 2}),
    (SelfLSTM, {"units": 2, "hops": 3, "attention_units": 4}),
    (KeyValueMemory, {"kernel_size": 3}),
    (KeyValueMemory, {"hops": 1, "kernel_size": 2, "values": "window"}),
]


@pytest.mark.once
@pytest.mark.parametrize(("model_class", "settings"), SETTINGS)
def test_the_equations(model_class, settings):
    model = make_model(model_class, **settings)
    scores = scores_of(model, QUESTION, ANSWER, QUICKEST)
    score = memory_reference.SCORES[model_class]
    for row in WITH_WORDS:
        texts = QUESTION[row], ANSWER[row]
        expected = score(model, *texts)
        assert scores[row] == pytest.approx(expected, abs=1e-4), row
    assert np.isfinite(scores).all()


@pytest.mark.once
def test_infersent_encodes_each_text_once():
    model = make_model(InferSent, **SENTENCES)
    assert model.question_encoder is model.answer_encoder
    check_parts(model, QUESTION, ANSWER)


def lstm_size(m, d):
    """Weights of both directions."""
    return 8 * (m * d + d * d + d)


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings", "size"),
    [
        (
            InferSent,
            {"units": 64},
            lstm_size(300, 64) + (8 * 64 + 1) * 512 + 513,
        ),
        # The docstring's.
        (RelationNetwork, {}, 601 * 256 + 5 * 257 * 256 + 257),
        (JointBiLSTM, {"units": 20}, 160 * 321 + 2 * 160 * 61 + 300 + 41),
        (RNNPOA, {}, lstm_size(100, 50) + 2 * (101 + 1) * 100 + 50 * 100),
        (
            MultihopSequentialLSTM,
            {},
            lstm_size(300, 141) + lstm_size(282, 141) + 2 * (2 * 282 + 1) * 282,
        ),
        (
            SelfLSTM,
            {"hops": 3},
            lstm_size(300, 141) + lstm_size(282, 141) + (282 + 3) * 282,
        ),
        (KeyValueMemory, {}, 2 * 300 * 300),
    ],
)
def test_the_sizes_are_those_of_a_pencil(model_class, settings, size):
    assert model_class(9, **settings).core_parameters == size


@pytest.mark.once
@pytest.mark.parametrize(
    ("model_class", "settings", "message"),
    [
        (InferSent, {"pooling": "min"}, "`pooling` must be one of"),
        (RelationNetwork, {"hidden_layers": 0}, "`hidden_layers` must be"),
        (JointBiLSTM, {"depth": 0}, "`depth` must be a positive"),
        (RNNPOA, {"sigma": 0.0}, "`sigma` must be positive"),
        (MultihopSequentialLSTM, {"hops": 0}, "`hops` must be a positive"),
        (SelfLSTM, {"hops": 0}, "`hops` must be a positive"),
        (KeyValueMemory, {"values": "key"}, "`values` must be one of"),
    ],
)
def test_wrong_arguments(model_class, settings, message):
    with pytest.raises(ValueError, match=message):
        model_class(9, 3, **settings)
