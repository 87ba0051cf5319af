"""HyperQA's experiment from the command line, end to end on a few questions."""

import json
import os
import subprocess
import sys
from pathlib import Path

import ir_measures
import keras
import numpy as np
import pytest

import keras_qa
from keras_qa.datasets import open_dataset
from reproductions.harness import fitting
from reproductions.harness import run as course
from reproductions.harness.errors import SettingsError
from reproductions.hyperqa import experiment as hyperqa
from support.eager_training import train_eagerly
from support.script_runs import FILES
from support.script_runs import check_resumed
from support.script_runs import leave_out_saved_models
from support.script_runs import metrics_of
from support.script_runs import settings_of

ROOT = Path(__file__).parents[3]
FAST = [
    "--smoke",
    "--set",
    "skipgram_dim=16",
    "--set",
    "projection_dim=8",
]


def run(folder, *arguments):
    return hyperqa.main([*FAST, "--output-dir", str(folder), *arguments])


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run by graphs, as from the command line."""
    train_eagerly(False)
    folder = tmp_path_factory.mktemp("run") / "hyperqa"
    assert run(folder) == 0
    return folder


def test_writes_every_file(finished):
    assert {path.name for path in finished.iterdir()} >= FILES
    assert not list(finished.glob(".writing-*"))


def test_metrics_hold_what_a_reader_needs(finished):
    metrics = metrics_of(finished)
    assert metrics["paper"] == "hyperqa"
    assert (metrics["model"], metrics["dataset"]) == ("hyperqa", "sample")
    assert metrics["questions"] == metrics["questions_scored"] == 12
    # 16 x 8 weights and 8 biases, then w and b.
    assert metrics["parameters"] == 16 * 8 + 8 + 2
    assert metrics["vectors"] == ["skipgram"]
    assert metrics["versions"]["backend"].startswith("tensorflow")


def test_trec_files_give_the_same_figures(finished):
    metrics = metrics_of(finished)["metrics"]
    figures = ir_measures.calc_aggregate(
        [ir_measures.AP, ir_measures.RR, ir_measures.P @ 1],
        ir_measures.read_trec_qrels(str(finished / "qrels.trec")),
        ir_measures.read_trec_run(str(finished / "run.trec")),
    )
    assert list(metrics.values()) == pytest.approx(
        [
            figures[ir_measures.AP],
            figures[ir_measures.RR],
            figures[ir_measures.P @ 1],
        ]
    )


@pytest.mark.slow
def test_the_same_seed_gives_the_same_figures_in_another_process(
    finished, tmp_path
):
    command = [sys.executable, "-m", "reproductions.hyperqa", *FAST]
    subprocess.run(
        [*command, "--output-dir", str(tmp_path / "again")],
        cwd=ROOT,
        check=True,
        env={**os.environ, "KERAS_BACKEND": "tensorflow"},
    )
    assert (tmp_path / "again/run.trec").read_text() == (
        finished / "run.trec"
    ).read_text()


@pytest.mark.compiled
def test_stopped_and_resumed_is_the_same_as_uninterrupted(
    tmp_path, without_export
):
    check_resumed(run, tmp_path, "--set=smoke_epochs=3", "--recipe=best")


def test_a_run_is_not_overwritten(finished, capsys):
    before = (finished / "metrics.json").read_bytes()
    assert run(finished) == 2
    assert "Add --resume" in capsys.readouterr().err
    assert run(finished, "--resume", "--seed", "2") == 2
    assert "other values of seed" in capsys.readouterr().err
    assert run(finished, "--resume") == 0
    assert (finished / "metrics.json").read_bytes() == before


@pytest.mark.parametrize("model", ["bm25", "cosine", "cosineqa", "logcosineqa"])
def test_other_models(tmp_path, monkeypatch, model):
    # `tests/export` has one of CosineQA.
    if model == "cosineqa":
        leave_out_saved_models(monkeypatch)
    record = tmp_path / "runs.jsonl"
    status = run(tmp_path / model, "--model", model, "--record", str(record))
    assert status == 0
    (line,) = record.read_text().splitlines()
    assert json.loads(line)["model"] == model


@pytest.mark.parametrize("split", ["dev", "test"])
def test_what_is_reported_was_never_selected_on(
    tmp_path, monkeypatch, without_export, split
):
    """The epoch is chosen on a fold of train for dev, and on dev for test."""
    seen = {"select": set(), "report": set()}
    select = fitting.evaluate
    report = course.evaluate

    def watch(name, function):
        def evaluate(questions, scores, **more):
            seen[name] |= {q.text for q in questions}
            return function(questions, scores, **more)

        return evaluate

    monkeypatch.setattr(fitting, "evaluate", watch("select", select))
    monkeypatch.setattr(course, "evaluate", watch("report", report))
    arguments = ["--split", split, "--set", "smoke_questions=600"]
    assert run(tmp_path / "run", *arguments) == 0
    sample = open_dataset("sample")
    texts = {
        name: {q.text for q in sample.questions(name)}
        for name in ("train", "dev", "test")
    }
    assert seen["report"] == texts[split]
    assert not seen["select"] & seen["report"]
    if split == "test":
        assert seen["select"] == texts["dev"]
    else:
        fit, held_out = sample.held_out_fold()
        assert seen["select"] == {q.text for q in held_out}
        assert not seen["select"] & {q.text for q in fit}
    metrics = metrics_of(tmp_path / "run")
    expected = "train less its fold" if split == "dev" else "train"
    assert metrics["training_set"] == expected


def test_missing_data_is_a_message(tmp_path, capsys):
    status = run(
        tmp_path / "run", "--dataset", "wikiqa", "--data-dir", str(tmp_path)
    )
    assert status == 2
    assert "WikiQA-train.tsv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--embeddings", "none.txt"], "none.txt: expected a file of vectors"),
        (["--set", "margin=-1"], "`margin`"),
        (["--set", "sampler=hard"], "`sampler` must be one of"),
        (["--set", "negatives=0"], "`negatives` must be at least 1"),
        (["--set", "conversion=other"], "`conversion` must be one of"),
        (["--set", "optimizer=other"], "other"),
        (["--set", "tokenizer=other"], "`tokenizer` must be one of"),
        (["--set", "learning_rate=NaN"], "must be finite"),
        (["--set", "max_answer_length=abc"], "must be of type int"),
    ],
)
def test_bad_input_is_a_message_and_claims_no_folder(
    tmp_path, capsys, arguments, message
):
    assert run(tmp_path / "run", *arguments) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("option", ["--epochs=0", "--epochs=-1", "--seed=-1"])
def test_numbers_out_of_range(option):
    with pytest.raises(SystemExit):
        hyperqa.main([option])


def test_other_vectors_are_another_run(tmp_path, capsys):
    vectors = tmp_path / "vectors.txt"
    arguments = ["--model", "cosine", "--embeddings", str(vectors)]
    vectors.write_text("the 1 0\nof 0 1\n")
    assert run(tmp_path / "run", *arguments) == 0
    vectors.write_text("the 1 0\nof 0 2\n")
    assert run(tmp_path / "run", *arguments, "--resume") == 2
    assert "other values of inputs" in capsys.readouterr().err


def test_a_finished_run_is_recorded_once(finished, tmp_path):
    record = tmp_path / "runs.jsonl"
    for _ in range(2):
        assert run(finished, "--resume", "--record", str(record)) == 0
    assert len(record.read_text().splitlines()) == 1


def test_settings_are_checked():
    for text, message in [
        ("margn=2", "one of.*'margn'"),
        ("margin=wide", "must be of type float"),
        ("margin", "expects name=value"),
    ]:
        with pytest.raises(SettingsError, match=message):
            settings_of(hyperqa, "--set", text)


@pytest.mark.parametrize(
    ("dataset", "split"),
    [
        ("wikiqa", "test"),
        ("trecqa-raw", "test"),
        ("trecqa-clean", "dev"),
        ("trecqa-all", "dev"),
        ("semeval", "dev"),
        ("yahooqa", "test"),
    ],
)
@pytest.mark.parametrize("model", ["bm25", "cosine", "hyperqa"])
def test_every_collection(tmp_path, without_export, dataset, split, model):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("the 1 0\nof 0 1\n? 1 1\n. 2 1\n")
    data = ["--dataset", dataset, "--data-dir", str(ROOT / "tests/data")]
    options = ["--split", split, "--model", model]
    more = ["--embeddings", str(vectors), "--set", "fold_fraction=0.5"]
    assert run(tmp_path / "run", *data, *options, *more) == 0
    metrics = metrics_of(tmp_path / "run")
    assert metrics["questions"] > 0


def test_optimizer_and_kernels_are_as_the_settings_say():
    settings = hyperqa.EXPERIMENT.settings(
        initial_accumulator=0.25,
        learning_rate=0.5,
        conversion="manifold",
        conversion_norm="row",
        kernel_scale=0.01,
        projection_dim=2,
    )
    optimizer = hyperqa.EXPERIMENT.build_optimizer("hyperqa", settings)
    assert (optimizer.conversion, optimizer.norm) == ("manifold", "row")
    inner = optimizer.inner_optimizer
    assert float(inner.learning_rate) == 0.5
    assert inner.initial_accumulator_value == 0.25
    matrix = np.ones((9, 4), np.float32)
    model = hyperqa.EXPERIMENT.build_model("hyperqa", settings, matrix)
    (kernel,) = (w for w in model.weights if tuple(w.shape) == (4, 2))
    assert isinstance(kernel.constraint, keras_qa.PoincareBall)
    # Glorot's limit of 4 + 2 units is 1.
    assert 0 < np.abs(keras.ops.convert_to_numpy(kernel)).max() <= 0.01
