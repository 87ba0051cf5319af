"""Stackers of arrays of scores, and scores of folds."""

import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.ranking.logistic import listwise_regression
from keras_qa.ranking.logistic import logistic_regression
from keras_qa.ranking.stacking.boosting import boosted_trees
from keras_qa.ranking.stacking.combining import fit_stacker
from keras_qa.ranking.stacking.folds import out_of_fold_scores

pytestmark = pytest.mark.once

RNG = np.random.default_rng(0)
GROUPS = np.repeat(np.arange(12), 5)
LABELS = np.tile([1, 0, 0, 0, 0], 12)
# One good ranker, one bad one, and one that scores all pairs alike.
SCORES = np.stack(
    [3 * LABELS + RNG.normal(size=60), 9 * RNG.normal(size=60), np.ones(60)], 1
)
NEW = RNG.normal(size=(4, 3))


def standardised(x):
    mean, deviation = SCORES.mean(0), SCORES.std(0)
    return (x - mean) / np.where(deviation, deviation, 1)


def test_logistic():
    weights, bias = logistic_regression(standardised(SCORES), LABELS, 0.5)
    found = fit_stacker(SCORES, LABELS, l2=0.5)
    expected = standardised(NEW) @ weights + bias
    np.testing.assert_allclose(found.scores(NEW), expected, rtol=1e-6)
    assert abs(weights[0]) > 5 * abs(weights[1])
    assert weights[2] == 0


def test_listwise_in_any_order_of_pairs():
    questions = np.split(LABELS, 12)
    weights = listwise_regression(standardised(SCORES), questions)
    order = RNG.permutation(60)
    found = fit_stacker(SCORES[order], LABELS[order], GROUPS[order], "listwise")
    expected = standardised(NEW) @ weights
    np.testing.assert_allclose(found.scores(NEW), expected, atol=1e-4)


def test_boosted():
    found = fit_stacker(
        *(SCORES, LABELS, GROUPS, "boosted"), trees=5, depth=2, seed=3
    )
    expected = boosted_trees(SCORES, LABELS, trees=5, depth=2, seed=3)
    np.testing.assert_array_equal(found.scores(NEW), expected.scores(NEW))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SCORES, LABELS, None, "median"), "`method` must be one of"),
        ((SCORES, LABELS, None, "listwise"), "`groups` must .*None for 60"),
        ((SCORES, LABELS, [1, 2], "listwise"), "`groups` must .*: 2 for 60"),
        ((SCORES[:9], LABELS), r"shape \(pairs, features\)"),
        ((SCORES, LABELS * 0), "0 right, 60 wrong"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        fit_stacker(*arguments)


def some_questions(count):
    return [
        Question(f"{i}", f"q{i}", (Candidate("a", "b", 1),) * (1 + i % 3))
        for i in range(count)
    ]


def test_no_question_is_scored_by_what_was_trained_on_it():
    questions = some_questions(11)
    trained = []

    def fit(known):
        trained.append({q.id for q in known})

        def score(asked):
            assert not trained[-1] & {q.id for q in asked}
            return [np.full(len(q.candidates), int(q.id)) for q in asked]

        return score

    found = out_of_fold_scores(questions, fit, folds=3, seed=1)
    assert len(trained) == 3
    assert sum(11 - len(known) for known in trained) == 11
    for number, scores in enumerate(found):
        assert scores.tolist() == [number] * (1 + number % 3)


@pytest.mark.parametrize(
    ("folds", "message"), [(1, "at least 2"), (4, "a question in each fold")]
)
def test_folds_have_questions(folds, message):
    with pytest.raises(ValueError, match=message):
        out_of_fold_scores(some_questions(3), lambda known: None, folds)
