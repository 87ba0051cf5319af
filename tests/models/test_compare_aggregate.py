"""The compare-aggregate models against their equations in NumPy."""

import numpy as np
import pytest

from keras_qa import models
from keras_qa.layers.word_comparison import FUNCTIONS
from support import compare_aggregate_reference as reference
from support.model_checks import VOCABULARY
from support.model_checks import check_scores
from support.model_checks import dense
from support.model_checks import random_model
from support.model_checks import weights_of
from support.model_checks import words_of
from support.text_reference import bilstm
from support.text_reference import sigmoid

# Their layers are tested on every backend, and so is one score of each model.
pytestmark = pytest.mark.once

SMALL = {
    "BiMPM": {"units": 3, "perspectives": 2},
    "CompareAggregate": {"units": 3, "max_width": 3},
}


def build(name, **settings):
    settings = {**SMALL[name], **settings}
    return random_model(getattr(models, name), 0.7, **settings)


def cam(model, question, answer):
    asked, answered = (
        sigmoid(dense(model, "gate", x)) * np.tanh(dense(model, "content", x))
        for x in (words_of(model, ids) for ids in (question, answer))
    )
    weights = weights_of(model, "alignment")
    aligned = reference.aligned(answered, asked, weights)
    weights = weights_of(model, "comparison")
    compared = [
        reference.word_comparison(model.comparison, *pair, weights)
        for pair in zip(answered, aligned, strict=True)
    ]
    maxima = [
        reference.largest_of_windows(
            compared, *weights_of(model, f"convolution_{width}")
        )
        for width in range(1, model.max_width + 1)
    ]
    hidden = np.tanh(dense(model, "hidden", np.concatenate(maxima)))
    return dense(model, "score", hidden)[0]


def bimpm(model, question, answer):
    states = [
        bilstm(words_of(model, ids), weights_of(model, "context"))
        for ids in (question, answer)
    ]
    names = ["matching", "answer_matching"]
    if model.shared_matching:
        names = ["matching"] * 2
    vectors = []
    for name, text, other in zip(names, states, states[::-1], strict=True):
        matches = reference.multi_perspective_matching(
            text, other, model.strategies, weights_of(model, name)
        )
        read = bilstm(matches, weights_of(model, "aggregation"))
        ends = [read[-1:, : model.units], read[:1, model.units :]]
        vectors += [x.sum(axis=0) for x in ends]
    hidden = np.tanh(dense(model, "hidden", np.concatenate(vectors)))
    return dense(model, "score", hidden)[0]


@pytest.mark.parametrize(
    ("name", "score", "settings"),
    [
        *(("CompareAggregate", cam, {"comparison": f}) for f in FUNCTIONS),
        ("CompareAggregate", cam, {"max_width": 1}),
        ("BiMPM", bimpm, {}),
        ("BiMPM", bimpm, {"shared_matching": False, "hidden_units": 4}),
        ("BiMPM", bimpm, {"strategies": ["max_attentive", "full"]}),
    ],
)
def test_the_equations(name, score, settings):
    check_scores(build(name, **settings), score)


@pytest.mark.parametrize(
    ("name", "settings", "count"),
    [
        # Those of the docstrings, at the defaults.
        ("BiMPM", {}, 626_001),
        ("BiMPM", {"shared_matching": False}, 626_001 + 8 * 20 * 100),
        ("CompareAggregate", {}, 564_001),
        (
            "CompareAggregate",
            {"comparison": "ntn"},
            564_001 + 150**3 + 150,
        ),
    ],
)
def test_numbers_of_parameters(name, settings, count):
    model = getattr(models, name)(VOCABULARY, **settings)
    assert model.core_parameters == count


@pytest.mark.parametrize(
    ("name", "setting", "message"),
    [
        ("BiMPM", {"strategies": ["mean"]}, r"`strategies` must be .*mean"),
        ("CompareAggregate", {"comparison": "dot"}, r"`comparison` must be .*"),
        ("CompareAggregate", {"max_width": 0}, r"`max_width` must be .*=0"),
    ],
)
def test_rejects_arguments(name, setting, message):
    with pytest.raises(ValueError, match=message):
        build(name, **setting)
