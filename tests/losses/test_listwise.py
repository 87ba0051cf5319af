"""The listwise softmax, by loops and by hand."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.losses.listwise import POSITIVES
from keras_qa.losses.listwise import ListwiseSoftmax
from support.loss_gradients import gradient

WORKED = [[1, 0, 1]], [[np.log(6), np.log(3), 0.0]]


def _by_loops(labels, scores, positives, temperature=1.0):
    """The loss of each question, candidate by candidate."""
    losses = []
    for label, score in zip(labels, scores, strict=True):
        weights = [
            np.exp(s / temperature) if y >= 0 else 0.0
            for y, s in zip(label, score, strict=True)
        ]
        right = [
            w / sum(weights)
            for y, w in zip(label, weights, strict=True)
            if y == 1
        ]
        if not right:
            losses.append(0.0)
        elif positives == "mean":
            losses.append(np.mean([-np.log(p) for p in right]))
        else:
            losses.append(-np.log(np.sum(right)))
    return losses


def _drawn():
    rng = np.random.default_rng(0)
    labels = rng.choice([-1, 0, 0, 1], size=(7, 6))
    labels[1], labels[2], labels[3] = 0, 1, -1
    return labels, rng.normal(0, 2, size=(7, 6)).astype(np.float32)


@pytest.mark.parametrize(
    ("positives", "expected"),
    [("mean", -(np.log(0.6) + np.log(0.1)) / 2), ("sum", -np.log(0.7))],
)
def test_worked_numbers(positives, expected):
    loss = ListwiseSoftmax(positives)(*map(np.array, WORKED))
    np.testing.assert_allclose(float(loss), expected, rtol=1e-6)


@pytest.mark.parametrize("temperature", [1.0, 0.25])
@pytest.mark.parametrize("positives", POSITIVES)
def test_equals_loops_over_candidates(positives, temperature):
    labels, scores = _drawn()
    expected = _by_loops(labels, scores, positives, temperature)
    loss = ListwiseSoftmax(positives, temperature, reduction="none")
    np.testing.assert_allclose(
        ops.convert_to_numpy(loss(labels, scores)),
        expected,
        rtol=1e-5,
        atol=1e-6,
    )
    mean = ListwiseSoftmax(positives, temperature)(labels, scores)
    np.testing.assert_allclose(float(mean), np.mean(expected), rtol=1e-5)


@pytest.mark.parametrize("positives", POSITIVES)
def test_gradient_is_probability_less_target(positives):
    """With `mean` the target is 1 / |R|, with `sum` the probability in R."""
    labels, scores = _drawn()
    weights = np.where(labels >= 0, np.exp(scores), 0)
    all_of = np.maximum(weights.sum(1, keepdims=True), 1e-9)
    right = np.where(labels == 1, 1 if positives == "mean" else weights, 0)
    of_right = right.sum(1, keepdims=True)
    expected = np.where(
        of_right > 0,
        weights / all_of - right / np.maximum(of_right, 1e-9),
        0,
    )
    found = gradient(ListwiseSoftmax(positives), labels, scores)
    np.testing.assert_allclose(found, expected / len(labels), atol=1e-6)


@pytest.mark.parametrize("positives", POSITIVES)
def test_extreme_scores_and_padding_stay_finite(positives):
    labels = np.array([[1, 0, -1], [1, 1, 0], [0, 0, -1], [-1, -1, -1]])
    scores = np.array(
        [[-1e4, 1e4, np.nan], [-1e4, -1e4, 1e4], [0, 1, np.inf], [0, 0, 0]],
        np.float32,
    )
    loss = ListwiseSoftmax(positives, reduction="none")
    expected = [2e4, 2e4 - (np.log(2) if positives == "sum" else 0), 0, 0]
    found = ops.convert_to_numpy(loss(labels, scores))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    scores = np.nan_to_num(scores, posinf=0)
    found = gradient(ListwiseSoftmax(positives), labels, scores)
    assert np.isfinite(found).all()
    assert (found[2:] == 0).all()


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_is_computed_in_single(dtype):
    labels, scores = _drawn()
    half = ops.cast(scores, dtype)
    loss = ListwiseSoftmax()
    assert float(loss(labels, half)) == float(
        loss(labels, ops.cast(half, "float32"))
    )


@pytest.mark.once
def test_config_round_trip():
    loss = ListwiseSoftmax("sum", 0.5, reduction="sum")
    revived = keras.losses.deserialize(keras.losses.serialize(loss))
    assert type(revived) is ListwiseSoftmax
    assert revived.get_config() == loss.get_config()
    assert float(revived(*_drawn())) == float(loss(*_drawn()))


@pytest.mark.once
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"positives": "all"}, "`positives` must be one of .*positives='all'"),
        ({"temperature": None}, "`temperature` must .* temperature=None"),
        ({"temperature": 0}, "`temperature` must .* Received: temperature=0"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        ListwiseSoftmax(**settings)
