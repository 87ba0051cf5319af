"""Logistic regression against scikit-learn's, and its errors."""

import numpy as np
import pytest

from keras_qa.ranking.logistic import listwise_regression
from keras_qa.ranking.logistic import logistic_regression

pytestmark = pytest.mark.once


def some_pairs():
    rng = np.random.default_rng(0)
    features = rng.normal([0.5, 0.0, -1.0], size=(60, 3))
    labels = (features @ [1.0, -2.0, 0.5] + rng.normal(size=60) > 0).astype(int)
    return features, labels


@pytest.mark.parametrize("l2", [0.01, 1.0, 30.0])
def test_the_weights_of_scikit_learn(l2):
    linear_model = pytest.importorskip("sklearn.linear_model")
    features, labels = some_pairs()
    reference = linear_model.LogisticRegression(C=1 / l2, tol=1e-10)
    reference.fit(features, labels)
    weights, bias = logistic_regression(features, labels, l2)
    np.testing.assert_allclose(weights, reference.coef_[0], rtol=1e-4)
    assert bias == pytest.approx(reference.intercept_[0], rel=1e-4)


def test_the_gradient_is_zero():
    features, labels = some_pairs()
    weights, bias = logistic_regression(features, labels, 2.0)
    right = 1 / (1 + np.exp(-(features @ weights + bias)))
    slopes = features.T @ (right - labels) + 2.0 * weights
    np.testing.assert_allclose(slopes, 0, atol=1e-5)
    assert (right - labels).sum() == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(
    ("features", "labels", "l2", "message"),
    [
        (np.ones((2, 1)), [0, 1], 0.0, "`l2` must be positive.*=0.0"),
        (np.ones((2, 1)), [0], 1.0, r"`features` must have .*\(2, 1\).*\(1,\)"),
        ([[1.0], [np.nan]], [0, 1], 1.0, r"must be finite.*\[nan\]"),
        (np.ones((2, 1)), [1, 1], 1.0, "Received: 2 right, 0 wrong"),
    ],
)
def test_errors(features, labels, l2, message):
    with pytest.raises(ValueError, match=message):
        logistic_regression(features, labels, l2)


def test_listwise_is_what_a_general_minimiser_finds():
    from scipy.optimize import minimize

    rng = np.random.default_rng(0)
    features = rng.normal(size=(9, 2))
    labels = [[1, 0, 0], [1, 1, 0, 0], [1, 1]]

    def loss(weights):
        total, start = 0.5 * weights @ weights, 0
        # The last question tells nothing: both of its answers are right.
        for of_one in labels[:2]:
            scores = features[start : start + len(of_one)] @ weights
            start += len(of_one)
            right = scores[np.array(of_one) > 0]
            total += np.log(np.exp(scores).sum()) - right.mean()
        return total

    expected = minimize(loss, np.zeros(2), method="Nelder-Mead").x
    found = listwise_regression(features, labels)
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_listwise_ignores_what_a_question_shares():
    labels = [[1, 0], [0, 1]]
    features = np.array([[1.0], [0.0], [7.0], [8.0]])
    found = listwise_regression(features, labels)
    # 2 / (1 + exp(w)) = w
    assert 2 / (1 + np.exp(found[0])) == pytest.approx(found[0], abs=1e-6)


def test_listwise_errors():
    with pytest.raises(ValueError, match="a question with right answers and"):
        listwise_regression(np.ones((3, 1)), [[1, 1], [0]])
    with pytest.raises(ValueError, match=r"`features` must have .*\(3,\)"):
        listwise_regression(np.ones((2, 1)), [[1, 1], [0]])
