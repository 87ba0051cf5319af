"""The names of a page's rankers, and what is no ranker of a page."""

import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.demo.rankers import Figure
from keras_qa.demo.rankers import run_figure
from keras_qa.demo.runs import check_runs
from keras_qa.demo.runs import distinct_ids
from keras_qa.errors import DatasetError
from keras_qa.errors import RankerError
from keras_qa.files.trec_files import write_labels
from keras_qa.files.trec_files import write_ranking
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.intervals import mean_interval


def test_ids_are_the_folders_with_what_tells_them_apart():
    assert distinct_ids(["runs/Hyper QA", "bm25"]) == ["hyper-qa", "bm25"]
    assert distinct_ids(["/a/x/run", "/b/x/run"]) == ["a-x-run", "b-x-run"]
    assert distinct_ids(["/a/é", "/a/ü"]) == ["a-1", "a-2"]


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([], "Expected 1 to 4 rankers. Received: 0"),
        (["bm25", "b", "c", "d", "e"], "Received: 5"),
        (["bm25", "bm25"], "different rankers. Received: bm25, 2 times"),
        (["a", "b/../a"], "different rankers. Received: /"),
        (["bm25", "/none"], "/none: expected a run's folder"),
    ],
)
def test_what_is_no_list_of_rankers(runs, message):
    with pytest.raises(RankerError, match=message):
        check_runs(runs)


def test_an_onnx_folder_lacks_the_keras_model(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(RankerError, match="Received: an ONNX folder"):
        check_runs([str(tmp_path)])


def test_the_figure_of_a_run_is_that_of_its_evaluation(tmp_path):
    rng = np.random.default_rng(0)
    questions = [
        Question(
            f"q{i}",
            "who",
            tuple(Candidate(str(j), "a", int(i % 5 > j)) for j in range(6)),
        )
        for i in range(20)
    ]
    found = evaluate(questions, [rng.integers(0, 4, 6) for _ in questions])
    assert run_figure(tmp_path) is None
    write_ranking(tmp_path / "run.trec", found.run, "test")
    write_labels(tmp_path / "qrels.trec", found.qrels)
    (tmp_path / "metrics.json").write_text('{"dataset": "x", "split": "dev"}')
    figure = run_figure(tmp_path)
    values = [row["MAP"] for row in found.per_question.values()]
    assert (figure.dataset, figure.split, figure.measure) == ("x", "dev", "MAP")
    assert figure.questions == found.questions_scored == 16
    assert figure.value == pytest.approx(found.metrics["MAP"])
    assert (figure.low, figure.high) == pytest.approx(
        mean_interval(np.array(values)), abs=0.01
    )
    one = Figure.of("x", "dev", [0.75])
    assert (one.value, one.low, one.high) == (0.75, 0, 1)
    (tmp_path / "run.trec").write_text("no ranking\n")
    with pytest.raises(DatasetError, match=r"run\.trec:1: expected question"):
        run_figure(tmp_path)
