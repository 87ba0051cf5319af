"""MRNN's experiment from the command line, end to end on a few questions."""

import json
from pathlib import Path

import keras
import numpy as np
import pytest

from reproductions.mrnn import experiment as mrnn
from reproductions.mrnn.settings import MRNNSettings
from support.elmo_reference import make_weights
from support.elmo_reference import write_elmo
from support.script_runs import FILES
from support.script_runs import metrics_of
from support.script_runs import run_of
from support.script_runs import settings_of
from support.script_runs import smoke_runner

DATA = Path(__file__).parents[2] / "data"
SMALL = {
    "skipgram_dim": 6,
    "filters": 5,
    "blocks": 2,
    "max_document_length": 30,
    "smoke_questions": 6,
    "batch_size": 4,
    "positives": 1,
}
run = smoke_runner(mrnn, SMALL)


def test_a_model_is_trained_exported_and_verified(tmp_path):
    record = tmp_path / "runs.jsonl"
    assert run(tmp_path / "run", "--record", str(record)) == 0
    assert {path.name for path in (tmp_path / "run").iterdir()} >= FILES
    metrics = metrics_of(tmp_path / "run")
    assert (metrics["paper"], metrics["model"]) == ("mrnn", "mrnn")
    assert metrics["questions"] == metrics["questions_scored"] == 6
    # Word vectors are fixed: all that is trained is the core.
    w, s, n, k, length = 6, 5, 2, 3, 30
    blocks = w * s + k * s**2 * n * (n - 1) // 2 + (3 * s + 1) * n
    attention = (n + 2) * n + (length + 2) * length
    assert metrics["parameters"] == blocks + attention
    assert json.loads(record.read_text()) == metrics


def test_words_in_their_texts(tmp_path):
    """Vectors of an ELMo and of the data itself, side by side."""
    elmo = tmp_path / "elmo"
    write_elmo(elmo, make_weights())
    folder = tmp_path / "run"
    options = ["--model=mrnn-contextual", "--embeddings", f"elmo:{elmo}"]
    changes = {"start": "principal", "sentence_term": 1.0}
    assert run(folder, *options, "skipgram", **changes) == 0
    metrics = metrics_of(folder)
    assert metrics["vectors"] == ["elmo:elmo", "skipgram"]
    assert "coverage" not in metrics
    # No text can be given to it.
    made = {path.name for path in folder.iterdir()}
    assert FILES - made == {"saved_model"}
    model = keras.saving.load_model(folder / "model.keras")
    width = model.embedding_dim
    assert width > SMALL["skipgram_dim"]
    texts = np.ones((2, 3, width), np.float32)
    assert model({"question": texts, "answer": texts}).shape == (2, 1)


@pytest.mark.parametrize("dataset", ["quasar-t", "squad"])
def test_retrieval_data_sets_have_recall(tmp_path, dataset, without_export):
    options = [f"--dataset={dataset}", f"--data-dir={DATA}", "--split=dev"]
    changes = {
        "fold_fraction": 0.5,
        "start": "principal",
        "batch_normalization": False,
        "later_scale": 0.05,
    }
    assert run(tmp_path / "run", *options, **changes) == 0
    metrics = metrics_of(tmp_path / "run")
    names = {"MAP", "MRR", "P@1", "recall@1", "recall@3", "recall@5"}
    assert set(metrics["metrics"]) == names
    assert metrics["settings"]["monitor"] == "recall@5"


def test_the_recipe_is_as_published():
    """Section 4.3.2."""
    expected = {
        "wikiqa": (4, 0.5),
        "trecqa-clean": (4, 0.5),
        "squad": (6, 1.0),
        "quasar-t": (6, 0.8),
    }
    for dataset, found in expected.items():
        settings = settings_of(mrnn, f"--dataset={dataset}")
        assert (settings["blocks"], settings["margin"]) == found
        fixed = ("filters", "kernel_size", "batch_size", "learning_rate")
        assert [settings[name] for name in fixed] == [1024, 3, 512, 1e-4]
        assert settings["weight_decay"] == 1e-3
        assert (settings["mining"], settings["negatives"]) == ("hard", 0)
        small = settings_of(mrnn, f"--dataset={dataset}", "--recipe=small")
        assert (small["blocks"], small["margin"]) == found


def test_models_have_the_settings():
    changed = {
        "pooling": "none",
        "pooling_window": 3,
        "hidden_units": [4],
        "n_gram_attention": False,
        "dropout": 0.5,
        "share_blocks": False,
    }
    settings = settings_of(
        mrnn, *(f"--set={name}={json.dumps(v)}" for name, v in changed.items())
    )
    settings |= {"filters": 5, "max_document_length": 7}
    config = mrnn.EXPERIMENT.build_model(
        "mrnn", MRNNSettings(**settings), np.ones((9, 4), np.float32)
    ).get_config()
    assert config["pooling"] is None
    assert config["pool_size"] == 3
    assert config["hidden_units"] == (4,)
    for name in ("n_gram_attention", "dropout", "share_blocks", "filters"):
        assert config[name] == settings[name]


def test_other_papers_models_have_their_own_settings(tmp_path, without_export):
    """HyperQA has no recipe `small`: its `best` stands for it."""
    settings = settings_of(mrnn, "--model=hyperqa", "--recipe=small")
    assert (settings["margin"], settings["optimizer"]) == (0.5, "adagrad")
    assert settings_of(mrnn, "--model=qa-lstm", "--recipe=small")["units"] == 70
    for model in ("ap-bilstm", "ap-cnn"):
        assert "crossed_input" in settings_of(mrnn, f"--model={model}")
    script = smoke_runner(mrnn, {"skipgram_dim": 6, "smoke_questions": 4})
    assert script(tmp_path, "--model=hyperqa", "--recipe=small") == 0
    metrics = metrics_of(tmp_path)
    assert (metrics["paper"], metrics["model"]) == ("mrnn", "hyperqa")


def test_the_training_is_as_the_settings_say(capital_questions):
    settings = MRNNSettings(
        filters=5,
        blocks=2,
        max_document_length=7,
        block_gain=2.0,
        position_gain=3.0,
        margin=0.7,
        mining="batch-hard",
        soft_margin=True,
        squared=True,
        reduction="sum",
        positives=2,
        negatives=3,
        chunk=5,
        batch_size=2,
        learning_rate=0.5,
        weight_decay=0.25,
        patience=4,
    )
    run = run_of(capital_questions, settings, "mrnn")
    learner = mrnn.EXPERIMENT.build_learner(run)
    training = mrnn.EXPERIMENT.paper_training(run, learner)
    batches, loss = training.batches, training.trainer.loss
    names = ("positives", "negatives", "chunk", "batch_size", "seed")
    assert [getattr(batches, name) for name in names] == [2, 3, 5, 2, 3]
    names = ("margin", "mining", "soft_margin", "squared", "reduction")
    expected = [0.7, "batch-hard", True, True, "sum"]
    assert [getattr(loss, name) for name in names] == expected
    optimizer = training.trainer.optimizer
    assert float(optimizer.learning_rate) == 0.5
    assert (optimizer.weight_decay, training.patience) == (0.25, 4)
    model = learner.scorer.model
    # The softmax blocks start from multiples of the identity.
    for gain, initializer in (
        (2.0, model.block_initializer),
        (3.0, model.position_initializer),
    ):
        start = keras.ops.convert_to_numpy(initializer((2, 2)))
        np.testing.assert_array_equal(start, gain * np.eye(2))
