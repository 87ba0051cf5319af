"""The in-batch softmax, by loops and by hand."""

import keras
import numpy as np
import pytest

from keras_qa.losses.in_batch import InBatchSoftmax

LABELS = np.array(
    [[1, 0, 0, -1], [0, 1, 1, 0], [0, 0, 0, 0], [1, 1, -1, -1], [-1] * 4]
)
SCORES = np.random.default_rng(0).normal(0, 3, LABELS.shape).astype("float32")


def by_loops(temperature):
    costs = []
    for label, score in zip(LABELS, SCORES / temperature, strict=True):
        wrong = np.exp(score[label == 0].astype("float64")).sum()
        for right in np.exp(score[label == 1].astype("float64")):
            costs.append(-np.log(right / (right + wrong)))
    return np.mean(costs)


def test_worked_numbers():
    scores = np.log(np.array([[6.0, 3.0, 1.0]]))
    loss = InBatchSoftmax()(np.array([[1, 0, 1]]), scores)
    wanted = -(np.log(6 / 9) + np.log(1 / 4)) / 2
    np.testing.assert_allclose(float(loss), wanted, rtol=1e-6)


@pytest.mark.parametrize("temperature", [1.0, 0.2])
def test_the_loss_of_a_batch(temperature):
    loss = InBatchSoftmax(temperature)
    found = float(loss(LABELS, SCORES))
    np.testing.assert_allclose(found, by_loops(temperature), rtol=1e-5)
    config = keras.saving.serialize_keras_object(loss)
    copy = keras.saving.deserialize_keras_object(config)
    assert copy.temperature == temperature
    assert float(copy(LABELS, SCORES)) == found


def test_ignored_and_extreme_scores_leave_it_finite():
    scores = np.where(LABELS < 0, np.nan, SCORES * 1e4)
    assert np.isfinite(float(InBatchSoftmax()(LABELS, scores)))
    assert float(InBatchSoftmax()(-np.ones((2, 3)), np.zeros((2, 3)))) == 0


@pytest.mark.once
def test_errors():
    with pytest.raises(ValueError, match=r"`temperature` must .*=0"):
        InBatchSoftmax(temperature=0)
