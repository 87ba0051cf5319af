"""IARNN and IWAN against NumPy loops."""

import numpy as np
import pytest
from keras import ops

from keras_qa.models import IARNN
from keras_qa.models import IWAN
from support.all_models import scores_of
from support.convolutional_reference import make_model
from support.convolutional_reference import words_of
from support.inner_reference import decomposed
from support.inner_reference import gesd
from support.inner_reference import inner_attention_gru
from support.inner_reference import softmax
from support.model_checks import ANSWER
from support.model_checks import QUESTION
from support.model_checks import check_scores
from support.text_reference import bilstm

# Their layers are tested on every backend, and so is one score of each model.
pytestmark = pytest.mark.once


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
    encoded = {
        "question": model.question_encoder(QUESTION),
        "answer": model.answer_encoder(ANSWER),
    }
    np.testing.assert_allclose(
        ops.convert_to_numpy(model.head(encoded))[:, 0],
        scores_of(model, QUESTION, ANSWER, "eager"),
        rtol=1e-5,
    )
    model({"question": QUESTION, "answer": ANSWER})
    # A loss of each direction.
    assert len(model.losses) == (2 if "occam" in settings else 0)


def iwan(model, question, answer):
    def weights(name):
        return [
            ops.convert_to_numpy(w).astype(float)
            for w in model.get_layer(name).weights
        ]

    texts = [
        bilstm(words_of(model, ids), weights("bilstm"))
        for ids in (question, answer)
    ]
    w_am, w_qm, w_ms = weights("inter_attention")
    sums = []
    for text, other in (texts, texts[::-1]):
        aligned, mean = np.zeros_like(text), np.zeros(text.shape[1])
        if len(other):
            aligned = [softmax(other @ x) @ other for x in text]
            mean = other.mean(axis=0)
        logits = [np.tanh(x @ w_am + mean @ w_qm) @ w_ms[:, 0] for x in text]
        for part in decomposed(text, aligned):
            sums.append(softmax(logits) @ part)
    kernel, bias = weights("hidden")
    hidden = np.maximum(np.concatenate(sums) @ kernel + bias, 0)
    kernel, bias = weights("score")
    return (hidden @ kernel + bias)[0]


def test_iwan():
    model = make_model(IWAN, units=2, hidden_units=4, attention_units=3)
    check_scores(model, iwan)


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


def test_number_of_parameters_of_iwan():
    u, k, h = 150, 300, 100
    lstm, attention = 8 * u * (300 + u + 1), 4 * u * k + k
    pencil = lstm + attention + 8 * u * h + h + h + 1
    assert IWAN(9).core_parameters == pencil == 841_701
