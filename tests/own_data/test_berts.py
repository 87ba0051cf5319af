"""`keras_qa.train` with models that start from a BERT, here a tiny one."""

import json
import re

import numpy as np
import pytest

import keras_qa
from keras_qa.cli import main as cli
from keras_qa.errors import RunFolderError
from keras_qa.errors import VectorsError
from keras_qa.own_data import berts
from keras_qa.own_data.settings import settings_of
from keras_qa.own_data.training import train
from support import bert_reference
from support.own_data import TINY
from support.own_data import write_table

for package in (*berts.PACKAGES, "faiss"):
    pytest.importorskip(package)
pytestmark = [
    pytest.mark.once,
    # Words of the table are no pieces of the tiny BERT.
    pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning"),
]
QUESTION = "who wrote emmas?"
ANSWERS = ["a cafe", "emma wrote b", "who ? a b . emmaly"]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert") / "tiny"
    bert_reference.write_bert(folder, bert_reference.make_weights())
    # One layer takes a third of the time to convert.
    config = json.dumps(bert_reference.CONFIG | {"num_hidden_layers": 1})
    (folder / "config.json").write_text(config)
    return folder


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "faq.csv"
    rows = ["question,answer,label"]
    for i in range(24):
        asked = f"who wrote emma{'s' * (i % 3)} b{i}?"
        rows += [f"{asked},emma wrote a b{i},1", f"{asked},a cafe ? n{i},0"]
    path.write_text("\n".join(rows))
    return path


def tiny(table, output, bert, model, **options):
    given = {"vectors": "skipgram", "seed": 1, **TINY, **options}
    return train(table, output, model=model, bert=bert, **given)


@pytest.fixture(scope="module")
def trained(table, bert, tmp_path_factory):
    folder = tmp_path_factory.mktemp("own") / "run"
    return tiny(table, folder, bert, "sentence-encoder")


@pytest.mark.slow
def test_it_ranks_as_the_run_did(trained, table, bert):
    model = "sentence-encoder"
    assert trained.note == ""
    names = {path.name for path in trained.folder.iterdir()}
    assert {"model.keras", "onnx", "README.md"} <= names
    assert "saved_model" not in names and "network" not in names
    ranker = trained.ranker
    assert ranker.engine == "onnxruntime"
    assert ranker.rank(QUESTION, ANSWERS, top=1)[0][0] in range(3)
    words = (trained.folder / "vocabulary.txt").read_text().split()
    assert "##ly" in words and "thing" not in words
    lines = (trained.folder / "run.trec").read_text().splitlines()
    found = [float(line.split()[4]) for line in lines]
    assert np.isfinite(found).all() and len(set(found)) > 2
    rows = [row["name"] for row in trained.metrics["comparison"]["rows"]]
    assert rows[0] == model and "BM25, tuned" in rows
    card = (trained.folder / "README.md").read_text("utf-8")
    assert card.startswith(f"# {model}, trained by keras-qa\n")
    assert "trained from the BERT tiny" in card and "word pieces, " in card
    # Given again, it is read.
    assert tiny(table, trained.folder, bert, model).metrics == trained.metrics


@pytest.mark.slow
def test_the_commands_take_it(trained, table, tmp_path, capsys):
    run = str(trained.folder)
    assert cli.main(["evaluate", run, str(table)]) == 0
    assert "| BM25" in capsys.readouterr().out
    answers = tmp_path / "answers.txt"
    answers.write_text("\n".join(ANSWERS) + "\n")
    words = ["index", run, "--answers", str(answers), "--output"]
    words.append(str(tmp_path / "index"))
    assert cli.main(words) == 0
    assert trained.ranker.encode(ANSWERS).shape == (3, bert_reference.WIDTH)


@pytest.mark.slow
def test_a_killed_training_goes_on(table, bert, tmp_path, monkeypatch):
    from keras_qa.training.epoch_selection import EpochSelector

    finish = EpochSelector.on_epoch_end

    def killed(self, epoch, logs=None):
        finish(self, epoch, logs)
        raise KeyboardInterrupt

    given = (bert, "cross-encoder")
    with monkeypatch.context() as patch:
        patch.setattr(EpochSelector, "on_epoch_end", killed)
        with pytest.raises(KeyboardInterrupt):
            tiny(table, tmp_path / "run", *given, onnx=False)
    other = bert_reference.write_bert(
        tmp_path / "tiny", bert_reference.make_weights(seed=1)
    )
    with pytest.raises(RunFolderError, match="What has changed: the BERT"):
        tiny(table, tmp_path / "run", other, "cross-encoder", onnx=False)
    resumed = tiny(table, tmp_path / "run", *given, onnx=False)
    whole = tiny(table, tmp_path / "whole", *given, onnx=False)
    assert resumed.metrics == whole.metrics
    np.testing.assert_allclose(
        resumed.ranker.scores(QUESTION, ANSWERS),
        whole.ranker.scores(QUESTION, ANSWERS),
        rtol=1e-5,
    )


def test_what_cannot_be_is_refused_at_once(tmp_path, capsys, monkeypatch):
    table = write_table(tmp_path / "a.csv", range(9))
    run = tmp_path / "run"
    for model in ("cross-encoder+floors", "cosineqa+sentence-encoder"):
        message = f"alone, which no sum can contain.*{re.escape(model)}"
        with pytest.raises(ValueError, match=message):
            train(table, run, model=model)
    with pytest.raises(VectorsError, match=r"`bert` goes with.*'cosineqa'"):
        train(table, run, model="cosineqa", bert="minilm")
    words = ["train", str(table), "--output", str(run), "--model"]
    assert cli.main([*words, "cross-encoder", "--bert", "no/bert"]) == 2
    assert "expected the directory of a BERT" in capsys.readouterr().err
    monkeypatch.setattr(berts, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"keras_hub.*'keras-qa\[bert\]'"):
        keras_qa.train(table, run, model="cross-encoder", bert="minilm")
    assert not run.exists()


@pytest.mark.parametrize(("recipe", "epochs"), [("default", 3), ("quick", 1)])
def test_the_quick_recipe_reads_the_questions_once(recipe, epochs):
    assert settings_of(recipe, {}, "cross-encoder").epochs == epochs
