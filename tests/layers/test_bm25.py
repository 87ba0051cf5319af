"""BM25: the layer contract, and the formula by loops."""

import math

import numpy as np
import pytest

from keras_qa.layers import BM25
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import quick_call
from support.layer_checks import run

SIZE = 10
QUESTION = np.array([[3, 5, 3, 9], [1, 7, 0, 0], [0] * 4, [4, 9, 0, 0]])
ANSWER = np.array([[5, 3, 3, 2, 9], [1, 1, 7, 0, 0], [5] * 5, [9, 9, 0, 0, 0]])
TRAIN = [[3, 5, 5, 1], [3, 2], [3, 9, 9, 9, 7], [6, 4]]
STOP = 9


def adapted(k1=1.2, b=0.5):
    layer = BM25(SIZE, k1, b)
    layer.adapt(TRAIN, ignored=[STOP])
    return layer


def by_loops(question, answer, k1, b):
    documents = [[w for w in text if w != STOP] for text in TRAIN]
    mean = np.mean([len(text) for text in documents])
    words = [w for w in answer if w not in (0, STOP)]
    score = 0.0
    for word in question:
        if word in (0, 1, STOP):
            continue
        df = sum(word in text for text in documents)
        idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
        count = words.count(word)
        if count:
            norm = k1 * (1 - b + b * len(words) / mean)
            score += idf * count / (count + norm)
    return score


def expected(k1=1.2, b=0.5):
    pairs = zip(QUESTION, ANSWER, strict=True)
    return np.array([[by_loops(*pair, k1, b)] for pair in pairs])


def test_layer_contract():
    arguments = {"vocabulary_size": SIZE, "k1": 0.9, "b": 0.4}
    inputs = [QUESTION.astype("int32"), ANSWER.astype("int32")]
    check_layer(BM25, arguments, inputs, (4, 1), 0, 4)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.5), (0.0, 1.0), (2.0, 0.0)])
def test_values_by_loops(k1, b, mode):
    layer = adapted(k1, b)
    found = run(
        lambda q, a: layer([q, a]),
        *(QUESTION.astype("int32"), ANSWER.astype("int32")),
        mode=mode,
    )
    np.testing.assert_allclose(found, expected(k1, b), rtol=1e-5)
    assert found[2] == 0


def test_assigned_parameters_count_and_are_the_configuration():
    layer = adapted()
    layer.assign(0.9, 0.3)
    assert layer.parameters == {"k1": 0.9, "b": 0.3}
    assert layer.get_config().items() >= {"k1": 0.9, "b": 0.3}.items()
    found = quick_call(layer, [QUESTION, ANSWER])
    np.testing.assert_allclose(found, expected(0.9, 0.3), rtol=1e-5)


@pytest.mark.once
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k1": -1.0}, "`k1` must be finite and not negative.*=-1.0"),
        ({"k1": float("inf")}, "`k1` must be finite.*=inf"),
        ({"b": 1.5}, "`b` must be from 0 to 1. Received: b=1.5"),
        ({"vocabulary_size": 0}, "`vocabulary_size` must be .*=0"),
    ],
)
def test_rejects_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        BM25(**{"vocabulary_size": SIZE, **arguments})


@pytest.mark.once
@pytest.mark.parametrize(
    ("texts", "ignored", "message"),
    [
        ([], [], "`texts` must hold at least one document"),
        ([[10]], [], "ids from 0 to 9. Received: 10"),
        ([[3]], [-1], "ids from 0 to 9. Received: -1"),
    ],
)
def test_rejects_documents(texts, ignored, message):
    with pytest.raises(ValueError, match=message):
        BM25(SIZE).adapt(texts, ignored)


def test_documents_without_words():
    """Of no words there is no mean length."""
    layer = BM25(SIZE)
    layer.adapt([[STOP], []], ignored=[STOP])
    assert np.isfinite(quick_call(layer, [QUESTION, ANSWER])).all()
