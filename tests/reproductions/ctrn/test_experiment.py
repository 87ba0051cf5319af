"""CTRN's experiment from the command line, end to end on a few questions."""

import json
import sys
from pathlib import Path

import keras
import numpy as np
import pytest

from keras_qa.cli import main as cli
from keras_qa.datasets import Corpus
from keras_qa.datasets import open_dataset
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.training.epoch_selection import EpochSelector
from reproductions.ctrn import experiment as ctrn
from reproductions.harness.parts.floor_names import FLOORS
from support.script_runs import FILES
from support.script_runs import check_resumed
from support.script_runs import leave_out_saved_models
from support.script_runs import metrics_of
from support.script_runs import settings_of
from support.script_runs import smoke_runner

ROOT = Path(__file__).parents[3]
SMALL = {
    "skipgram_dim": 16,
    "projection_dim": 8,
    "units": 4,
    "hidden_units": 4,
    "batch_size": 16,
}
run = smoke_runner(ctrn, SMALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        "ctrn",
        "ap-cnn",
        *(
            pytest.param(model, marks=pytest.mark.large)
            for model in sorted(ctrn.EXPERIMENT.models)
            if model not in (*FLOORS, "ctrn", "ap-cnn")
        ),
    ],
)
def test_every_model_is_trained_exported_and_verified(tmp_path, model):
    record = tmp_path / "runs.jsonl"
    options = ["--model", model, "--record", str(record)]
    assert run(tmp_path / "run", *options, overlap=True) == 0
    written = {path.name for path in (tmp_path / "run").iterdir()}
    assert written >= FILES
    assert ("overlap.json" in written) == (not model.startswith("ap-"))
    metrics = metrics_of(tmp_path / "run")
    assert (metrics["paper"], metrics["model"]) == ("ctrn", model)
    assert metrics["questions"] == metrics["questions_scored"] == 12
    if model in ctrn.ATTENTIVE:
        texts = ["--question", "who wrote it ?", "--answer", "jane"]
        assert cli.main(["attention", str(tmp_path / "run"), *texts]) == 0
    if model == "overlap":
        assert metrics["parameters"] == 4 + 1
    else:
        assert metrics["core_parameters"] < metrics["parameters"]
    (line,) = record.read_text().splitlines()
    assert json.loads(line) == metrics


@pytest.mark.parametrize("model", ["bm25", "cosine"])
def test_untrained_models(tmp_path, model):
    assert run(tmp_path / "run", "--model", model) == 0
    assert metrics_of(tmp_path / "run")["recipe"] == "untrained"


@pytest.mark.large
def test_the_other_readings_of_the_crossing_are_trained_and_exported(tmp_path):
    """With padding as a part of the model, all of its parts agree on it."""
    readings = {"crossed_input": "partner", "alignment": "padded"}
    readings |= {"pooling": "attentive", "pooled_normalization": True}
    readings |= {"projection_layers": 2, "alignment_features": True}
    assert run(tmp_path / "run", overlap=True, **readings) == 0
    assert metrics_of(tmp_path / "run")["overrides"].items() >= readings.items()
    model = keras.models.load_model(tmp_path / "run/model.keras")
    assert {name: getattr(model, name) for name in readings} == readings
    # Counted and standardised by the training questions.
    idf = model.aligned.get_layer("alignment_features").idf.idf
    assert len(np.unique(keras.ops.convert_to_numpy(idf))) > 2
    assert 4 < model.question_length < 40
    assert 4 < model.answer_length < 60


def test_overlap_is_learnt_from_the_training_questions_alone(
    tmp_path, monkeypatch
):
    leave_out_saved_models(monkeypatch)
    assert run(tmp_path / "run", "--model=overlap", "--split=dev") == 0
    fit, _ = open_dataset("sample").held_out_fold()
    fit = fit[: ctrn.EXPERIMENT.settings().smoke_questions]
    corpus = Corpus(fit)
    # Distinct texts, as questions and as answers.
    features = OverlapFeatures.fit(corpus.tokens)
    written = OverlapFeatures.load(tmp_path / "run/overlap.json")
    assert written.documents == features.documents
    assert written.document_frequencies == features.document_frequencies
    pairs = features.pairs(corpus.tokens, *corpus.index(fit).pairs())
    model = keras.models.load_model(tmp_path / "run/model.keras")
    layer = model.get_layer("overlap_normalization")
    np.testing.assert_allclose(
        keras.ops.convert_to_numpy(layer.mean), pairs.mean(0), rtol=1e-5
    )
    np.testing.assert_allclose(
        keras.ops.convert_to_numpy(layer.deviation), pairs.std(0), rtol=1e-4
    )


@pytest.mark.parametrize(
    "model", ["ap-cnn", pytest.param("cnn", marks=pytest.mark.large)]
)
def test_stopped_and_resumed_is_the_same_as_uninterrupted(
    tmp_path, without_export, model
):
    steps = {"smoke_epochs": 3, "overlap": True}
    check_resumed(run, tmp_path, f"--model={model}", **steps)


def test_ends_early_and_stays_ended(tmp_path, monkeypatch, without_export):
    """Nothing is learnt at a rate of 0, so the first epoch is the best."""
    options = ["--model=overlap"]
    steps = {"smoke_epochs": 9, "patience": 2, "learning_rate": 0.0}

    class Stop(Exception):
        pass

    def stop(self, model):
        raise Stop

    with monkeypatch.context() as patch:
        patch.setattr(EpochSelector, "load_best", stop)
        with pytest.raises(Stop):
            run(tmp_path / "run", *options, **steps)
    assert run(tmp_path / "run", *options, "--resume", **steps) == 0
    metrics = metrics_of(tmp_path / "run")
    assert (metrics["epoch"], metrics["epochs"]) == (1, 3)


def test_missing_tensorboard_names_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    options = ["--model=overlap", "--tensorboard"]
    assert run(tmp_path / "run", *options) == 2
    assert "pip install tensorboard" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("dataset", "split"),
    [
        ("wikiqa", "dev"),
        ("trecqa-raw", "test"),
        ("trecqa-clean", "dev"),
        ("trecqa-all", "dev"),
        ("semeval", "dev"),
        ("yahooqa", "test"),
    ],
)
def test_every_collection(tmp_path, without_export, dataset, split):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("the 1 0\nof 0 1\n? 1 1\n. 2 1\n")
    data = ["--dataset", dataset, "--data-dir", str(ROOT / "tests/data")]
    options = ["--split", split, "--embeddings", str(vectors), "--model=cnn"]
    assert run(tmp_path / "run", *data, *options, fold_fraction=0.5) == 0
    settings = metrics_of(tmp_path / "run")["settings"]
    assert settings["overlap"] == dataset.startswith("trecqa")


def test_settings_are_the_papers():
    plain = settings_of(ctrn, "--dataset", "wikiqa")
    assert (plain["overlap"], plain["epochs"]) == (False, 25)
    assert (plain["dropout"], plain["l2"]) == (0.5, 4e-6)
    assert settings_of(ctrn, "--dataset", "trecqa-raw")["overlap"]
    assert settings_of(ctrn, "--dataset", "trecqa-all")["epochs"] == 5
    assert (
        settings_of(ctrn, "--dataset", "trecqa-all", "--epochs=7")["epochs"]
        == 7
    )
    # Features of overlap are all that this model has.
    assert settings_of(ctrn, "--dataset", "wikiqa", "--model", "overlap")[
        "overlap"
    ]
    assert (
        settings_of(ctrn, "--model=cnn", "--set=kernel_size=5")["kernel_size"]
        == 5
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set=crossed_input=both"], "`crossed_input` must be one of"),
        (["--set=alignment=none"], "`alignment` must be one of"),
        (["--set=patience=-1"], "`patience` must not be negative"),
        (["--set=batch_size=0"], "`batch_size` must be positive"),
        (["--model=ctrn", "--set=pooling=last"], "`pooling` must be one of"),
        (["--model=overlap", "--set=overlap=false"], "`overlap` must be true"),
        (["--model=ap-cnn", "--set=margin=-1"], "`margin`"),
    ],
)
def test_bad_input_is_a_message(tmp_path, capsys, arguments, message):
    assert run(tmp_path / "run", *arguments) == 2
    assert message in capsys.readouterr().err
