"""The stacked systems: out-of-fold scores, and runs from the command line."""

from types import SimpleNamespace

import numpy as np
import pytest

import keras_qa
from keras_qa.training.run_folder import RunFolder
from reproductions.best import MODELS
from reproductions.harness import fitting
from reproductions.harness.command import parse_arguments
from reproductions.harness.errors import SettingsError
from reproductions.harness.run import prepare_run
from reproductions.records.paper_figures import load_papers
from reproductions.records.papers import whose
from reproductions.systems import experiment as script
from reproductions.systems.experiment import EXPERIMENT
from reproductions.systems.stacked import STACKS
from reproductions.systems.stacked import stack_model
from support.script_runs import metrics_of
from support.script_runs import smoke_runner

pytestmark = pytest.mark.once

run = smoke_runner(script, {"smoke_questions": 8, "stack_folds": 2})


def by_heart(folds):
    """A member that knows the right answers to the questions of its training.

    Args:
        folds: gets the runs that it is trained for.
    """

    def fit(experiment, fold, epochs, title):
        folds.append(fold)
        known = {q.id for q in fold.fit}

        def rank(indexed):
            return [
                labels * float(question.id in known)
                for question, labels in zip(
                    indexed.questions, indexed.labels, strict=True
                )
            ]

        return SimpleNamespace(scorer=SimpleNamespace(rank=rank)), None

    return fit


HERE = ("systems", True)


def test_the_rows_of_the_papers_are_there():
    rows = {
        whose(row.ours, paper.key)
        for paper in load_papers().values()
        for table in paper.results
        for row in table.rows
        if row.ours
    }
    # Of two names of one system a row has either.
    shown = [STACKS[m] for owner, m in rows if (owner, m in STACKS) == HERE]
    assert all(stack in shown for stack in STACKS.values())
    assert {*STACKS} <= {*MODELS["systems"]} & {*EXPERIMENT.models}


def test_a_member_has_seen_no_question_that_it_is_scored_on(
    tmp_path, monkeypatch
):
    """The score of a member that knows its own by heart gets no weight."""
    folds = []
    monkeypatch.setattr(fitting, "fit", by_heart(folds))
    given = ["--smoke", "--model=cnn-lr", "--embeddings=random", "--seed=3"]
    arguments = parse_arguments(EXPERIMENT, [*given, "--set=stack_folds=3"])
    settings = EXPERIMENT.settings_of(arguments)
    folder = RunFolder(tmp_path, {}, resume=True)
    prepared = prepare_run(EXPERIMENT, arguments, settings, folder)
    model = keras_qa.BM25Ranker(len(prepared.corpus.vocabulary))
    scorer = keras_qa.CorpusScorer(model, prepared.corpus)
    found, details = stack_model(EXPERIMENT, prepared, scorer, None)
    fitted = details["fitted"]
    assert fitted["bigram-cnn"] == 0 < abs(fitted["word-count"])
    assert len(folds) == 3
    ids = [q.id for q in prepared.fit]
    for fold in folds:
        of_fold = [q.id for q in (*fold.fit, *fold.report)]
        assert sorted(of_fold) == sorted(ids) and fold.select is prepared.select
    scored = [q.id for fold in folds for q in fold.report]
    assert sorted(scored) == sorted(ids)
    # Finished folds are read.
    again = stack_model(EXPERIMENT, prepared, scorer, None)
    assert (len(folds), again[1]) == (3, details)
    pairs = prepared.corpus.index(prepared.report).pairs()
    np.testing.assert_array_equal(again[0].scores(*pairs), found.scores(*pairs))


def test_one_seed_gives_the_same_figures(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        assert run(folder, "--model=pv-cnt") == 0
    found, again = metrics_of(first), metrics_of(second)
    assert found["run_sha256"] == again["run_sha256"]
    assert found["fitted"] == again["fitted"] and found["metrics"]["MAP"] > 0
    assert (found["recipe"], found["vectors"]) == ("untrained", [])


def test_the_command_trains_the_member_on_folds(tmp_path, without_export):
    options = ["--model=cnn-lr", "--embeddings=random"]
    assert run(tmp_path / "run", *options, random_dim=4) == 0
    found = metrics_of(tmp_path / "run")
    assert {*found["fitted"]} == {"bigram-cnn", *STACKS["cnn-lr"].beside}
    assert found["parameters"] == 3 * 4**2 + 4 + 1
    written = {path.name for path in (tmp_path / "run").iterdir()}
    assert written >= {"run.trec", "stacked-1", "stacked-2", "history.csv"}
    assert metrics_of(tmp_path / "run/stacked-1").keys() == {"scores"}


def test_questions_of_other_data_sets_are_refused():
    given = ["--model=cnn-lr", "--transfer", "sample", "--dataset", "wikiqa"]
    with pytest.raises(SettingsError, match=r"left out for cnn-lr: .*sample"):
        EXPERIMENT.settings_of(parse_arguments(EXPERIMENT, given))
