"""Our side of the evaluation: order, ties, questions that do not count."""

import re
from dataclasses import replace

import ir_measures
import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.files.trec_files import write_labels
from keras_qa.files.trec_files import write_ranking
from keras_qa.ranking.evaluation import MEASURES
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.evaluation import named_measures
from keras_qa.ranking.evaluation import recall_measures


def test_hand_ranked_lists(capital_questions):
    # Question 1: the positive comes second: AP = RR = 1/2, P@1 = 0.
    # Question 2: positives at 1 and 3: AP = (1 + 2/3) / 2, RR = P@1 = 1.
    result = evaluate(
        capital_questions,
        [np.array([2.0, 3.0, 1.0]), np.array([9.0, 1.0, 5.0]), np.array([0.0])],
    )
    assert result.metrics["MAP"] == pytest.approx((1 / 2 + 5 / 6) / 2)
    assert result.metrics["MRR"] == pytest.approx(0.75)
    assert result.metrics["P@1"] == pytest.approx(0.5)
    assert result.per_question["1.1"]["MAP"] == pytest.approx(0.5)
    assert (result.questions, result.questions_scored) == (3, 2)
    assert (result.candidates, result.ties) == (7, 0)


def test_named_measures_by_hand():
    labels = (0, 3, 0, 1, 2)
    candidates = [
        Candidate(str(i), "", label) for i, label in enumerate(labels)
    ]
    question = Question("q", "", tuple(candidates))
    names = ("MAP", "MRR", "P@1", "P@2", "P@10", "Recall@4", "nDCG@4")
    # Ranks 1 to 5 have the grades 0, 3, 0, 1, 2.
    result = evaluate(
        [question], [-np.arange(5.0)], measures=named_measures(*names)
    )
    discount = 1 / np.log2(np.arange(2, 6))
    gain = [0, 3, 0, 1] @ discount / ([3, 2, 1, 0] @ discount)
    expected = (1 / 2 + 2 / 4 + 3 / 5) / 3, 1 / 2, 0, 1 / 2, 3 / 10, 2 / 3, gain
    assert list(result.metrics) == list(names)
    assert list(result.metrics.values()) == pytest.approx(expected)
    assert [q.relevance for q in result.qrels] == list(labels)


@pytest.mark.parametrize("name", ["map", "P", "P@0", "nDCG@-1", "recall@5"])
def test_unknown_measures(name):
    with pytest.raises(ValueError, match="`names` must be MAP, MRR, P@k, Rec"):
        named_measures("MAP", name)


def test_a_constant_score_never_looks_good(capital_questions):
    constant = [np.zeros(3), np.zeros(3), np.zeros(1)]
    results = [evaluate(capital_questions, constant, s) for s in range(300)]
    # Expected value at random order: AP of 1 in 3 is (1 + 1/2 + 1/3) / 3;
    # AP of 2 in 3 is (1 + (1 + 2/3) / 2 + (1/2 + 2/3) / 2) / 3.
    expected = (11 / 18 + (1 + 5 / 6 + 7 / 12) / 3) / 2
    mean = np.mean([r.metrics["MAP"] for r in results])
    assert mean == pytest.approx(expected, abs=0.03)
    assert results[0].ties == 6


def test_ties_are_counted_in_single_precision(capital_questions):
    scores = [np.array([1.0, 1.0 + 1e-9, 0.0]), np.arange(3.0), np.zeros(1)]
    assert evaluate(capital_questions, scores).ties == 2


def test_files_give_trec_eval_the_same_figures(capital_questions, tmp_path):
    scores = [np.array([1.0, 1.0, 0.0]), np.arange(3.0), np.zeros(1)]
    result = evaluate(capital_questions, scores, seed=3)
    write_ranking(tmp_path / "run.trec", result.run, tag="test")
    write_labels(tmp_path / "qrels.trec", result.qrels)
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels.trec")))
    run = list(ir_measures.read_trec_run(str(tmp_path / "run.trec")))
    scored = [q for q in qrels if q.query_id != "1.3"]
    again = ir_measures.calc_aggregate([ir_measures.AP], scored, run)
    assert again[ir_measures.AP] == pytest.approx(result.metrics["MAP"])
    assert [d.doc_id for d in run] == [d.doc_id for d in result.run]


def test_written_order_is_trec_evals_order(capital_questions):
    scores = [np.zeros(3), np.zeros(3), np.zeros(1)]
    run = evaluate(capital_questions, scores, seed=1).run
    first = [d.doc_id for d in run if d.query_id == "1.1"]
    assert first == sorted(first, reverse=True)


def test_ids_of_very_many_candidates_have_one_width():
    many = tuple(Candidate("x", "a", int(n == 0)) for n in range(100_001))
    result = evaluate([Question("q", "q", many)], [np.zeros(len(many))])
    assert {len(doc.doc_id) for doc in result.run} == {len("000000-x")}


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([np.zeros(3)], "one vector per question"),
        ([np.zeros(2), np.zeros(3), np.zeros(1)], "one value per candidate"),
        (
            [np.array([0, np.nan, 1]), np.zeros(3), np.zeros(1)],
            "must be finite.*'1.1'",
        ),
    ],
)
def test_bad_scores(capital_questions, scores, message):
    with pytest.raises(ValueError, match=message):
        evaluate(capital_questions, scores)


@pytest.mark.parametrize("other", ["a b", "a_b", "a\tb"])
def test_two_questions_with_one_id(other):
    candidates = (Candidate("0", "", 1), Candidate("1", "", 0))
    questions = [Question(id, "", candidates) for id in ("a b", "c", other)]
    received = re.escape(f"Received: 'a b' and {other!r}")
    with pytest.raises(ValueError, match=f"must have distinct ids.*{received}"):
        evaluate(questions, [np.arange(2)] * 3)


def test_no_positive_at_all(capital_questions):
    with pytest.raises(ValueError, match="at least one with a positive"):
        evaluate(capital_questions[2:], [np.zeros(1)])


def test_recall_of_any_and_of_all_right_answers(capital_questions):
    # Positives at rank 2 of 3, and at ranks 1 and 3 of 3.
    scores = [np.array([2.0, 3.0, 1.0]), np.array([9.0, 1.0, 5.0]), np.zeros(1)]
    either = evaluate(capital_questions, scores, measures=recall_measures())
    assert either.metrics == {"recall@1": 0.5, "recall@3": 1, "recall@5": 1}
    measures = {**MEASURES, **recall_measures((1, 2, 3), counting="all")}
    share = evaluate(capital_questions, scores, measures=measures)
    assert list(share.metrics) == [
        *MEASURES,
        "recall@1",
        "recall@2",
        "recall@3",
    ]
    assert share.metrics["recall@1"] == pytest.approx((0 + 1 / 2) / 2)
    assert share.metrics["recall@2"] == pytest.approx((1 + 1 / 2) / 2)
    assert share.metrics["recall@3"] == 1
    assert share.metrics["MRR"] == pytest.approx(0.75)


def test_what_was_missed_counts_and_is_nowhere(capital_questions, tmp_path):
    first, second, third = capital_questions
    questions = [
        first,
        replace(second, missed=1),
        replace(third, missed=2),
        replace(third, id="1.4", candidates=(), missed=1),
    ]
    scores = [
        np.array([2.0, 3.0, 1.0]),
        np.array([9.0, 1.0, 5.0]),
        np.zeros(1),
        np.zeros(0),
    ]
    result = evaluate(questions, scores)
    # The second question has positives at 1 and 3, and a third one nowhere.
    assert result.metrics["MAP"] == pytest.approx((1 / 2 + (1 + 2 / 3) / 3) / 4)
    assert result.metrics["MRR"] == pytest.approx((1 / 2 + 1) / 4)
    assert (result.questions, result.questions_scored) == (4, 4)
    assert result.candidates == 7
    assert result.per_question["1.4"]["P@1"] == 0
    write_ranking(tmp_path / "run.trec", result.run, tag="test")
    write_labels(tmp_path / "qrels.trec", result.qrels)
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels.trec")))
    run = list(ir_measures.read_trec_run(str(tmp_path / "run.trec")))
    again = ir_measures.calc_aggregate([ir_measures.AP], qrels, run)
    assert again[ir_measures.AP] == pytest.approx(result.metrics["MAP"])


def test_recall_errors():
    with pytest.raises(ValueError, match=r"`counting` must be.*='some'"):
        recall_measures(counting="some")
    with pytest.raises(ValueError, match=r"`cutoffs` must be.*\(3, 0\)"):
        recall_measures((3, 0))


def test_a_measure_may_have_two_names(capital_questions):
    scores = [np.arange(3), np.arange(3), np.zeros(1)]
    measures = {"mine": MEASURES["MAP"], **MEASURES}
    result = evaluate(capital_questions, scores, measures=measures)
    assert list(result.metrics) == ["mine", "MAP", "MRR", "P@1"]
    assert result.metrics["mine"] == result.metrics["MAP"]
