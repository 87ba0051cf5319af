"""The table of rankers on the same questions."""

from dataclasses import replace

import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.ranking.comparison import compare
from keras_qa.ranking.comparison import paired_test

pytestmark = pytest.mark.once


def make(*labels):
    return [
        Question(
            f"q{i}",
            "text",
            tuple(Candidate(str(j), "a", x) for j, x in enumerate(of_one)),
        )
        for i, of_one in enumerate(labels)
    ]


def test_figures_and_differences():
    questions = make(*[[1, 0]] * 20)
    right = [np.array([1.0, 0.0])] * 20
    half = [np.array([1.0, 0.0]), np.array([0.0, 1.0])] * 10
    found = compare(questions, {"model": right, "floor": half}, ["floor"])
    model, floor = found.rows
    assert model.metrics["MAP"] == 1 and model.interval == (1, 1)
    assert model.difference is None
    assert floor.metrics["MAP"] == pytest.approx(0.75)
    assert floor.difference == pytest.approx(0.25)
    # Quantiles of Binomial(20, 1/2) / 40, .15 and .35, farther by 1.0957.
    ends = pytest.approx((0.1404, 0.3596), abs=1e-4)
    assert floor.difference_interval == ends
    assert found.verdict == "above" and found.best_floor is floor
    lines = "\n".join(found.lines())
    assert "| floor (best floor) | 0.750 |" in lines
    assert "+0.250 [+0.140, +0.360]" in lines
    reverse = compare(questions, {"model": half, "floor": right}, ["floor"])
    assert reverse.verdict == "below"
    same = compare(questions, {"model": half, "floor": half}, ["floor"])
    assert same.verdict == "even" and same.to_json()["best_floor"] == "floor"


def test_one_question_tells_nothing():
    scores = {"model": [np.array([1.0, 0.0])], "floor": [np.array([0.0, 1.0])]}
    found = compare(make([1, 0]), scores, ["floor"])
    model, floor = found.rows
    assert model.interval == (0, 1) and floor.difference_interval == (-1, 1)
    assert floor.difference == 0.5 and found.verdict == "even"


def test_questions_with_right_candidates_only_are_told():
    questions = make([1, 1], [0, 1], [0, 0])
    scores = [np.array([1.0, 0.0])] * 3
    found = compare(questions, {"model": scores})
    assert found.questions == 2 and found.right_only == 1
    assert found.to_json()["unanswered"] == 1
    assert found.mixed == {"model": 0.5}
    assert found.rows[0].metrics["MAP"] == 0.75
    _, unanswered, right_only = found.notes()
    assert "No figure counts 1 question without a right answer" in unanswered
    assert "1 of them have right candidates only" in right_only
    assert "without them: model 0.500" in right_only
    assert found.verdict == "even" and found.best_floor is None


def test_grades_have_a_column():
    questions = make([2, 0, 1], [0, 1])
    scores = [np.array([1.0, 3.0, 2.0]), np.array([0.0, 1.0])]
    found = compare(questions, {"model": scores, "other": scores})
    assert found.to_json()["metrics"] == ["MAP", "MRR", "P@1", "nDCG@10"]
    # Grades in the order 0, 1, 2 of the first question; the second's is 1.
    gain = 1 / np.log2(3) + 2 / np.log2(4)
    best = 2 + 1 / np.log2(3)
    expected = (gain / best + 1) / 2
    assert found.rows[0].metrics["nDCG@10"] == pytest.approx(expected)
    header, rule, first, _ = found.lines()
    assert "| MRR | P@1 | nDCG@10 | model less it |" in header
    assert header.count("|") == rule.count("|") == first.count("|") == 8
    assert f"| {expected:.3f} |" in first
    assert "nDCG@10 takes the grades" in found.notes()[1]


def test_without_grades_there_is_none():
    found = compare(make([1, 0]), {"model": [np.array([1.0, 0.0])]})
    assert found.to_json()["metrics"] == ["MAP", "MRR", "P@1"]
    assert not any("nDCG" in line for line in found.lines() + found.notes())


def test_what_was_missed_is_no_perfect_question():
    first, second = make([1], [0, 1])
    scores = {"model": [np.array([1.0]), np.array([1.0, 0.0])]}
    found = compare([replace(first, missed=1), second], scores)
    # Both have an average precision of 1/2.
    assert found.rows[0].metrics["MAP"] == 0.5
    assert found.right_only == 0 and found.mixed == {}


def test_the_permutation_test_in_words():
    questions = make(*[[1, 0]] * 20)
    right = [np.array([1.0, 0.0])] * 20
    half = [np.array([1.0, 0.0]), np.array([0.0, 1.0])] * 10
    found = compare(questions, {"model": right, "floor": half}, ["floor"])
    words = paired_test(found, "floor")
    # The ends as in the table; ten differences of one sign: about 2 / 2^10.
    start = "model less floor: MAP +0.2500 [+0.1404, +0.3596], p 0.00"
    assert words.startswith(start)


def test_the_seed_orders_equal_scores():
    questions = make(*[[1, 0]] * 20)
    equal = {"model": [np.zeros(2)] * 20}
    found = {
        tuple(compare(questions, equal, seed=seed).values("model"))
        for seed in range(3)
    }
    assert len(found) == 3
