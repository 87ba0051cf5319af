"""Arguments of models that their scores alone do not show."""

import keras
import numpy as np
import pytest

from keras_qa.models import RNNPOA
from keras_qa.models import KeyValueMemory
from support.all_models import UNTRAINED
from support.all_models import build
from support.all_models import inputs_for
from support.all_models import taking
from support.model_checks import check_l2

pytestmark = pytest.mark.once

# They penalise the matrices of the projection alone.
OF_PROJECTIONS = ("CosineQA", "HyperQA", "LogCosineQA")


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in taking("l2")
        if not name.startswith((*UNTRAINED, *OF_PROJECTIONS))
    ],
)
def test_l2_on_all_trainable_parameters(name):
    check_l2(build(name, l2=0.3), 0.3)


DROPPED = {
    "ABCNN": {"word"},
    "AICNN": {"word", "vector"},
    "ANMM": {"word"},
    "ARCI": {"pair", "hidden"},
    "BiMPM": {"word", "state", "match", "pair", "hidden"},
    "CNTN": {""},
    "CompareAggregate": {""},
    "IWAN": {"word", "sum"},
    "InferSent": {"pair", "hidden"},
    "JointBiLSTM": {""},
    "KeyValueMemory": {"word"},
    "MPCNN": {""},
    "MVLSTM": {"word", "state"},
    "MultihopSequentialLSTM": {"word", "state"},
    "NTNLSTM": {""},
    "RNNPOA": {"word"},
    "SelfLSTM": {"word", "state"},
    "SeverynMoschitti": {""},
}


@pytest.mark.parametrize("name", DROPPED)
def test_dropout_is_where_the_docstring_has_it(name):
    model = build(name, dropout=0.5)
    # A layer that nothing is led through is none of the model's.
    found = {
        layer.name.removesuffix("dropout").removesuffix("_")
        for layer in model._flatten_layers()
        if isinstance(layer, keras.layers.Dropout) and layer.rate == 0.5
    }
    assert found == DROPPED[name]


@pytest.mark.parametrize("name", sorted(DROPPED))
def test_scores_in_float32_under_mixed_precision(name):
    model = build(name, dtype="mixed_float16")
    scores = model(inputs_for(model))
    assert keras.backend.standardize_dtype(scores.dtype) == "float32"


@pytest.mark.parametrize(
    ("name", "setting", "layer", "shape"),
    [
        ("AICNN", "attention_units", "interactive_pooling", (4, 7)),
        ("BiMPM", "hidden_units", "hidden", (4 * 3, 7)),
        ("IWAN", "attention_units", "inter_attention", (2 * 3, 7)),
        ("RNNPOA", "attention_units", "question_states", (2 * 3, 7)),
        ("SelfLSTM", "attention_units", "self_attention", (2 * 3, 7)),
    ],
)
def test_a_layer_has_the_size_that_was_given(name, setting, layer, shape):
    model = build(name, **{setting: 7})
    kernel, *_ = model.get_layer(layer).weights
    assert kernel.shape == shape


def test_rnn_poa_without_noise():
    model = RNNPOA(9, 3, 2, noise=0.0)
    (drawn,) = model.get_layer("influence").get_weights()
    assert not drawn.any()


@pytest.mark.parametrize(
    ("name", "layers"),
    [
        ("ARCI", ["hidden"]),
        ("CNTN", ["vector", "tensor"]),
        ("HDLSTM", ["hidden_0"]),
        ("NTNLSTM", ["tensor"]),
        ("SeverynMoschitti", ["hidden", "question_convolution"]),
    ],
)
def test_layers_have_the_activation_that_was_given(name, layers):
    model = build(name, activation="sigmoid")
    found = {
        layer.name: layer.activation
        for layer in model._flatten_layers()
        if hasattr(layer, "activation")
    }
    for layer in layers:
        assert found[layer] is keras.activations.sigmoid, layer


def test_matrices_of_memories_start_as_the_identity():
    model = KeyValueMemory(9, 3)
    for hop in (1, 2):
        (kernel,) = model.get_layer(f"update_{hop}").get_weights()
        np.testing.assert_array_equal(kernel, np.eye(3))
