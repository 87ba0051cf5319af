"""Retrieval data sets are measured by recall, too, in every experiment."""

import json
from pathlib import Path

import numpy as np
import pytest

from keras_qa.ranking.evaluation import MEASURES
from reproductions.by_question import question_metric
from reproductions.harness.measures import EVERY
from reproductions.harness.measures import measures_of
from reproductions.mrnn import experiment as mrnn
from reproductions.qa_lstm import experiment as qa_lstm
from support.script_runs import metrics_of
from support.script_runs import smoke_runner

DATA = Path(__file__).parents[2] / "data"
run = smoke_runner(
    qa_lstm,
    {"skipgram_dim": 4, "units": 2, "negatives": 1, "monitor": "recall@5"},
)


def bm25(folder, dataset, *changes):
    """Ranks a data set's questions of dev by BM25; returns `metrics.json`."""
    options = [f"--dataset={dataset}", f"--data-dir={DATA}", "--split=dev"]
    options += [f"--set={change}" for change in changes]
    assert mrnn.main(["--model=bm25", f"--output-dir={folder}", *options]) == 0
    return metrics_of(folder)


def test_only_retrieval_is_measured_by_recall():
    assert measures_of("wikiqa") == MEASURES
    for dataset in ("squad", "quasar-t"):
        recall = [name for name in measures_of(dataset) if name not in MEASURES]
        assert recall == ["recall@1", "recall@3", "recall@5"]


@pytest.mark.parametrize(
    ("dataset", "change", "expected"),
    [
        # The paragraph of the third question is third: one candidate is none.
        ("squad", "first_stage=1", [2 / 3, 2 / 3, 2 / 3]),
        ("squad", "first_stage=2", [2 / 3, 2 / 3, 2 / 3]),
        ("squad", "first_stage=3", [2 / 3, 1, 1]),
    ],
)
def test_figures_are_those_of_the_files(tmp_path, dataset, change, expected):
    """What the first stage lost counts in the files as in the figures."""
    metrics = bm25(tmp_path, dataset, change)["metrics"]
    recall = [metrics[f"recall@{k}"] for k in (1, 3, 5)]
    assert recall == pytest.approx(expected)
    assert list(metrics) == list(EVERY)
    for name, value in metrics.items():
        found = question_metric(tmp_path, name)
        assert len(found) == 3
        assert np.mean(list(found.values())) == pytest.approx(value)


@pytest.mark.usefixtures("without_export")
def test_recall_can_choose_the_epoch(tmp_path, capsys):
    quasar = ("--dataset=quasar-t", f"--data-dir={DATA}")
    assert run(tmp_path, *quasar) == 0
    metrics = metrics_of(tmp_path)
    assert list(metrics["metrics"]) == list(metrics["selection"]) == list(EVERY)
    (epoch,) = json.loads((tmp_path / "progress.json").read_text())
    assert epoch["recall@5"] == metrics["selection"]["recall@5"]
    assert "recall@5 " in capsys.readouterr().out


def test_epochs_are_chosen_by_what_is_measured(tmp_path, capsys):
    assert run(tmp_path) == 2
    assert (
        "`monitor` must be one of ('MAP', 'MRR', 'P@1') for the data set "
        "'sample'. Received: monitor='recall@5'"
    ) in capsys.readouterr().err


def test_squad_has_no_test_set(tmp_path, capsys):
    squad = ("--dataset=squad", f"--data-dir={DATA}")
    assert run(tmp_path, *squad) == 2
    assert (
        "`--split` must be a split that the data set 'squad' has: "
        "--split dev. Received: --split test"
    ) in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
