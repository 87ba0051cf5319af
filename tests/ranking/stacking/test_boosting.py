"""Boosted trees: those of scikit-learn, as arrays."""

import sys

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier

from keras_qa.ranking.stacking.boosting import boosted_trees

pytestmark = pytest.mark.once


def some(pairs=300, features=3):
    rng = np.random.default_rng(0)
    # Some values are equal, as those of a word count.
    x = np.round(rng.normal(size=(pairs, features)), 1)
    noise = 0.3 * rng.normal(size=pairs)
    return x, (x[:, 0] * x[:, 1] + noise > 0.5).astype(int)


@pytest.mark.parametrize(("trees", "depth", "rate"), [(30, 3, 0.1), (4, 5, 1)])
def test_scores_are_those_of_scikit_learn(trees, depth, rate):
    """Also of trees that have leaves above their full depth."""
    x, labels = some()
    found = boosted_trees(x, labels, trees, depth, rate, seed=7)
    expected = GradientBoostingClassifier(
        n_estimators=trees, max_depth=depth, learning_rate=rate, random_state=7
    ).fit(x, labels)
    inner = 2**depth - 1
    assert found.features.shape == found.thresholds.shape == (trees, inner)
    assert found.values.shape == (trees, inner + 1)
    # Pairs at the thresholds, and between those of float64 and float32.
    at = np.nextafter(found.thresholds, np.float32(np.inf))
    at = np.concatenate([found.thresholds.ravel(), at.ravel()])
    for new in (x, np.repeat(at[:, None], 3, axis=1)):
        np.testing.assert_allclose(
            found.scores(new), expected.decision_function(new), atol=1e-9
        )


def test_what_no_line_separates():
    x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 5)
    labels = x[:, 0] != x[:, 1]
    found = boosted_trees(x, labels, depth=2)
    np.testing.assert_array_equal(found.scores(x) > 0, labels)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(ImportError, match=r"keras-qa\[stacking\]"):
        boosted_trees(*some(9))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"trees": 0}, "`trees` must be a positive integer"),
        ({"depth": 1.5}, "`depth` must be a positive integer"),
        ({"learning_rate": 0}, "`learning_rate` must be positive"),
        ({"labels": [1] * 9}, "9 right, 0 wrong"),
        ({"features": np.full((9, 3), np.nan)}, "`features` must be finite"),
    ],
)
def test_errors(wrong, message):
    x, labels = some(9)
    with pytest.raises(ValueError, match=message):
        boosted_trees(**{"features": x, "labels": labels, **wrong})
