"""The benchmark `answer_ranking`: its texts, its summary, a tiny run."""

import json

import numpy as np
import pytest

from devtools.benchmarks import answer_ranking
from devtools.benchmarks.answer_ranking import Settings


def test_answers_are_as_long_as_insuranceqas():
    settings = Settings()
    texts = answer_ranking.make_texts(settings)
    answers = texts.lengths[: settings.answers]
    found = np.quantile(answers, [0.05, 0.25, 0.5, 0.75, 0.9])
    np.testing.assert_allclose(found, [49, 59, 75, 106, 159], atol=2)
    assert answers.max() == 200
    questions = texts.lengths[settings.answers :]
    assert (questions.min(), questions.max()) == (4, 11)
    assert len(questions) == max(100, 8 * 20)


def test_pools_are_one_or_of_each_question():
    settings = Settings()
    questions, answers = answer_ranking.make_pairs(settings, "one pool")
    assert len(questions) == len(answers) == 50_000
    assert len(np.unique(answers)) == 500
    np.testing.assert_array_equal(answers[:500], answers[-500:])
    assert (np.bincount(questions)[settings.answers :] == 500).all()
    _, answers = answer_ranking.make_pairs(settings, "own pools")
    assert len(np.unique(answers[:500])) == 500
    # 24,981 (1 - (1 - 500 / 24,981)^100), as the docstring says.
    assert len(np.unique(answers)) == pytest.approx(21_670, abs=150)


def test_steps_have_the_same_questions_and_positives():
    one, many = (
        answer_ranking.make_sampler(Settings(), negatives).sample(0)
        for negatives in (1, 50)
    )
    for a, b in zip(one[:2], many[:2], strict=True):
        np.testing.assert_array_equal(a, b)
    assert (one[2].shape, many[2].shape) == ((160, 1), (160, 50))


def test_ratios_and_bounds_by_hand():
    scoring = {
        "encoded": [0.001, 0.001, 0.002],
        "batches": [0.06, 0.05, 0.1],
        "single": [0.2, 0.3, 0.2],
    }
    steps = {
        "K = 1": [0.5, 0.5, 1.0],
        "K = 50": [2.5, 2.0, 5.0],
        "K = 50, shared": [1.0, 0.5, 1.0],
    }
    seconds = {}
    for name in answer_ranking.MODELS:
        seconds[name] = steps
        for pools in answer_ranking.POOLS:
            seconds[f"{name}, {pools}"] = scoring
    summary = answer_ranking.summarise(Settings(), {"seconds": seconds})
    found = summary["scoring"]["QALSTM, one pool"]
    assert found["speedup"] == pytest.approx({"batches": 50, "single": 200})
    # 500 pairs of 1 ms per question.
    assert found["questions_per_second"]["encoded"] == pytest.approx(2)
    assert summary["training"]["QALSTM"]["times_of_k_1"] == pytest.approx(
        {"K = 50": 5, "K = 50, shared": 1}
    )
    reached = {n: b["reached"] for n, b in summary["bounds"].items()}
    assert reached["AttentiveLSTM: encoded against batches, one pool"]
    assert not reached["QALSTM: K = 50 against K = 1"]
    assert reached["QALSTM: K = 50, shared against K = 1"]


@pytest.mark.large
def test_contenders_score_alike(tmp_path, capsys):
    output = tmp_path / "result.json"
    assert answer_ranking.main(["--smoke", "--json", str(output)]) == 0
    assert "Bounds, set for 2 cores" in capsys.readouterr().out
    differences = json.loads(output.read_text())["differences"]
    assert len(differences) == 4
    assert max(differences.values()) < 1e-6
