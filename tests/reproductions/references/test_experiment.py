"""The references from the command line, with a tiny BERT."""

import json

import keras
import numpy as np
import pytest

from keras_qa import CosineQA
from keras_qa.ranker import Ranker
from keras_qa.training import fine_tuning
from keras_qa.training.corpus_scorer import CorpusScorer
from reproductions.references import experiment as references
from reproductions.references.settings import ReferenceSettings
from support import bert_reference
from support.script_runs import metrics_of
from support.script_runs import run_of

pytest.importorskip("keras_hub")
pytest.importorskip("safetensors")
pytest.importorskip("tokenizers")


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert") / "tiny"
    return write_bert(folder, bert_reference.make_weights())


def write_bert(folder, weights):
    """A BERT of one layer: more layers take more time, and do the same."""
    bert_reference.write_bert(folder, weights)
    config = json.dumps(bert_reference.CONFIG | {"num_hidden_layers": 1})
    (folder / "config.json").write_text(config)
    return folder


def run(folder, bert, model, **settings):
    settings = {"bert": str(bert), "smoke_questions": 4, **settings}
    options = [f"--set={k}={json.dumps(v)}" for k, v in settings.items()]
    return references.main(
        ["--smoke", f"--output-dir={folder}", f"--model={model}", *options]
    )


@pytest.mark.parametrize(
    "model", ["cross-encoder", "late-interaction-tuned", "sentence-encoder"]
)
def test_models_run(bert, tmp_path, model):
    assert run(tmp_path / "run", bert, model) == 0
    metrics = metrics_of(tmp_path / "run")
    zero_shot = model in references.ZERO_SHOT
    assert (metrics["recipe"] == "untrained") is zero_shot
    assert ("epoch" in metrics) is not zero_shot
    assert (metrics["vectors"], metrics["tokenizer"]) == (
        ["bert:tiny"],
        "wordpiece",
    )
    # A SavedModel could not split the text.
    assert not (tmp_path / "run/saved_model").exists()
    ranker = Ranker.load(tmp_path / "run", readable="any")
    assert np.isfinite(ranker.scores("who wrote emma", ["a cafe", "b"])).all()


@pytest.mark.once
@pytest.mark.parametrize("objective", ["pairwise", "listwise"])
def test_other_objectives(bert, tmp_path, objective):
    given = {"objective": objective, "frozen_layers": 1, "batch_size": 2}
    assert run(tmp_path / "run", bert, "cross-encoder", **given) == 0
    # The score and its bias.
    width = bert_reference.WIDTH
    assert metrics_of(tmp_path / "run")["parameters"] == width + 1


@pytest.mark.once
def test_another_bert_is_another_run(bert, tmp_path, capsys):
    model = "sentence-encoder"
    assert run(tmp_path / "run", bert, model) == 0
    weights = bert_reference.make_weights(seed=1)
    other = write_bert(tmp_path / "tiny", weights)
    assert run(tmp_path / "run", other, model) == 2
    assert run(tmp_path / "none", tmp_path / "missing", model) == 2
    assert "expected the directory of a BERT" in capsys.readouterr().err


@pytest.mark.once
def test_the_training_is_as_the_settings_say(capital_questions, monkeypatch):
    given = []

    def noted(*arguments):
        given.append(arguments)
        return keras.optimizers.SGD(), ["a callback"]

    monkeypatch.setattr(fine_tuning, "fine_tuning", noted)
    settings = ReferenceSettings(
        learning_rate=0.5,
        warm_up=0.25,
        weight_decay=0.125,
        batch_size=2,
        negatives=3,
    )
    run = run_of(capital_questions, settings, "late-interaction-tuned")
    scorer = CorpusScorer(CosineQA(len(run.matrix), 3, 2), run.corpus)
    monkeypatch.setattr(
        type(references.EXPERIMENT), "_scorer", lambda *_: scorer
    )
    learner = references.EXPERIMENT.build_learner(run)
    assert given == [(0.5, 0.25, 0.125)]
    assert learner.callbacks == ["a callback"]
    batches = references.EXPERIMENT.paper_training(run, learner).batches
    names = ("batch_size", "positives", "negatives", "seed")
    assert [getattr(batches, name) for name in names] == [2, 1, 3, 3]
