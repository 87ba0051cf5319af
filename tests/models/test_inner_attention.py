"""IARNN against NumPy loops."""

import numpy as np
import pytest
from keras import ops

from keras_qa.models import IARNN
from support.all_models import scores_of
from support.convolutional_reference import make_model
from support.convolutional_reference import words_of
from support.inner_reference import gesd
from support.inner_reference import inner_attention_gru
from support.layer_checks import QUICKEST

# Their layers are tested on every backend, and so is one score of each model.
pytestmark = pytest.mark.once

# The last two lack a text.
QUESTION = np.array(
    [[3, 7, 7, 2, 5], [9, 4, 0, 0, 0], [0] * 5, [4] + [0] * 4], "int32"
)
ANSWER = np.array([[8, 3, 1, 4], [5, 6, 0, 0], [4, 2, 0, 0], [0] * 4], "int32")


def iarnn(model, question, answer):
    def vector(ids, asked):
        means = []
        for name in ("forward", "backward")[: 1 + model.bidirectional]:
            weights = model.head.get_layer(name).weights
            weights = {w.name: ops.convert_to_numpy(w) for w in weights}
            states, _ = inner_attention_gru(
                weights,
                words_of(model, ids),
                asked,
                model.inner_attention,
                name == "backward",
            )
            means.append(states.sum(axis=0) / max(len(states), 1))
        return np.concatenate(means)

    q = vector(question, None)
    return gesd(q, vector(answer, q))


def check_scores(model, reference):
    found = scores_of(model, QUESTION, ANSWER, QUICKEST)
    expected = [
        reference(model, *pair) for pair in zip(QUESTION, ANSWER, strict=True)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    question, answer = (np.pad(x, ((0, 0), (0, 2))) for x in (QUESTION, ANSWER))
    encoded = {
        "question": model.question_encoder(question),
        "answer": model.answer_encoder(answer),
    }
    padded = ops.convert_to_numpy(model.head(encoded))[:, 0]
    np.testing.assert_allclose(padded, found, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "settings",
    [
        {"inner_attention": "word"},
        {"inner_attention": "context", "occam": 0.1},
        {"inner_attention": "gate", "bidirectional": False},
    ],
)
def test_iarnn(settings):
    model = make_model(IARNN, units=2, **settings)
    check_scores(model, iarnn)
    model({"question": QUESTION, "answer": ANSWER})
    # A loss of each direction.
    assert len(model.losses) == (2 if "occam" in settings else 0)


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({}, 2 * (3 * 300 * 100 + 3 * 100**2) + 2 * 4 * 100**2),
        ({"inner_attention": "word"}, 240_000 + 4 * 100 * 300),
        ({"inner_attention": "context"}, 240_000 + 6 * 100 * 300),
        ({"inner_attention": "word", "occam": 0.1}, 360_000 + 4 * 100),
    ],
)
def test_numbers_of_parameters(settings, count):
    assert IARNN(9, **settings).core_parameters == count
