"""Intervals and paired tests over questions."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from keras_qa.ranking import intervals
from keras_qa.ranking.intervals import least_p_value
from keras_qa.ranking.intervals import mean_interval
from keras_qa.ranking.intervals import paired_difference

pytestmark = pytest.mark.once


def test_p_value_is_that_of_all_sign_flips():
    """Six questions have 64 exchanges, which can be counted."""
    rng = np.random.default_rng(0)
    first, second = rng.uniform(size=(2, 6)).round(2)
    differences = first - second
    sums = [np.dot(signs, differences) for signs in product((1, -1), repeat=6)]
    expected = np.mean(np.abs(sums) >= abs(differences.sum()) - 1e-12)
    difference, p_value = paired_difference(first, second)
    assert difference == pytest.approx(differences.mean())
    assert p_value == pytest.approx(expected)


def test_interval_holds_the_resampled_means():
    """Twenty differences of 0 or 1: the mean is binomial, and known."""
    first = np.array([1.0] * 10 + [0.0] * 10)
    low, high = mean_interval(first)
    # Quantiles of Binomial(20, 1/2) / 20 at 2.5% and 97.5%, .3 and .7, times
    # t / z sqrt(20 / 19) away from the mean.
    far = 0.2 * 2.093024 / 1.959964 * (20 / 19) ** 0.5
    assert (low, high) == pytest.approx((0.5 - far, 0.5 + far), abs=1e-6)
    assert paired_difference(first, np.zeros(20))[1] < 0.01


def test_equal_conditions_do_not_differ():
    values = np.linspace(0, 1, 30)
    assert paired_difference(values, values) == (0, 1)
    assert mean_interval(values - values) == (0, 0)


def test_many_questions_are_resampled_repeatably():
    first, second = np.random.default_rng(1).uniform(size=(2, 80))
    results = [paired_difference(first, second) for _ in range(2)]
    assert results[0] == results[1]
    exchanged = paired_difference(second, first)
    assert exchanged[0] == -results[0][0]
    assert exchanged[1] == pytest.approx(results[0][1], abs=0.02)


def test_the_interval_is_that_of_scipy_by_students_t():
    values = np.random.default_rng(2).uniform(size=70)
    found = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=10_000,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    wider = stats.t.ppf(0.975, 69) / stats.norm.ppf(0.975) * (70 / 69) ** 0.5
    mean = values.mean()
    expected = [mean + wider * (end - mean) for end in found]
    assert mean_interval(values) == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize("count", [2, 5, 10, 30])
def test_the_interval_of_few_questions_is_wide_enough(count):
    draws = np.random.default_rng(3).normal(size=(200, count))
    missed = sum(low > 0 or high < 0 for low, high in map(mean_interval, draws))
    # 5% are to miss 0: of 200 draws 18 at most with a probability of 99%.
    assert missed <= 18


def test_one_question_says_nothing():
    unknown = (-np.inf, np.inf)
    assert mean_interval(np.array([0.25])) == unknown
    found = paired_difference(np.array([0.75]), np.array([0.5]))
    assert found == (0.25, 1)


def test_batches_of_permutations_test_the_same():
    first, second = np.random.default_rng(1).uniform(size=(2, 40))
    whole = paired_difference(first, second)
    parts = paired_difference(first, second, batch=100)
    assert parts[0] == whole[0]
    assert parts[1] == pytest.approx(whole[1], abs=0.02)


def test_an_interval_of_many_values_is_that_of_resamples_at_once(monkeypatch):
    values = np.random.default_rng(1).uniform(size=99)
    whole = mean_interval(values)
    # 7 resamples at a time, of which 10,000 is no multiple.
    monkeypatch.setattr(intervals, "VALUES", 700)
    assert mean_interval(values) == whole


@pytest.mark.parametrize("permutations", [99, 999])
def test_the_least_p_value_is_that_of_the_largest_difference(permutations):
    _, p_value = paired_difference(
        np.ones(40), np.zeros(40), permutations=permutations
    )
    assert p_value == pytest.approx(least_p_value(permutations))
