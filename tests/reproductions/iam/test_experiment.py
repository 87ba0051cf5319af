"""IAM's experiment from the command line, its stages and its matcher."""

import itertools
import json
import shutil
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_qa.cli import main as cli
from keras_qa.layers.interactive_attention import TERMS
from keras_qa.text.sides import SIDES
from keras_qa.text.vector_texts import VectorTexts
from keras_qa.training.epoch_selection import EpochSelector
from reproductions.harness import vectors
from reproductions.harness.settings import recorded
from reproductions.iam import experiment as iam
from reproductions.iam import jump
from reproductions.iam import language_models
from reproductions.iam import stages as iam_stages
from reproductions.iam import tables as iam_tables
from reproductions.iam.optimizer import learning_rates
from reproductions.iam.settings import RECIPES
from reproductions.iam.settings import TERMS as TERM_SETTINGS
from reproductions.iam.settings import IAMSettings
from reproductions.qa_lstm.settings import QALSTMSettings
from support.script_runs import FILES
from support.script_runs import metrics_of
from support.script_runs import run_of
from support.script_runs import settings_of
from support.script_runs import smoke_runner

SMALL = {
    "skipgram_dim": 6,
    "units": 3,
    "layers": 1,
    "hidden_units": 4,
    "batch_size": 100,
    "smoke_questions": 6,
}
# Both of the rates of `decay`.
STEPS = {"smoke_epochs": 2, "decay_epochs": 1}
run = smoke_runner(iam, {**SMALL, **STEPS})


@pytest.fixture(scope="module")
def rates():
    """The learning rates of the whole run, by the names of the folders."""
    return {}


@pytest.fixture(scope="module")
def whole(tmp_path_factory, rates):
    """A whole run; tests leave it as it is."""
    folder = tmp_path_factory.mktemp("iam") / "whole"
    record = folder.with_name("runs.jsonl")
    save = EpochSelector.on_epoch_end

    def note(self, epoch, logs=None):
        rate = float(self.model.optimizer.learning_rate)
        rates.setdefault(self.folder.path.name, []).append(rate)
        save(self, epoch, logs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EpochSelector, "on_epoch_end", note)
        assert run(folder, "--record", str(record)) == 0
    return folder


@pytest.fixture
def stages(whole, tmp_path):
    """A copy of its stages."""
    return shutil.copytree(whole / "stages", tmp_path / "stages")


def names(folder, start=""):
    return sorted(path.name for path in folder.glob(f"{start}*"))


@pytest.mark.slow
def test_all_stages_then_the_matcher_exported_and_shown(
    whole, tmp_path, capsys
):
    assert set(names(whole)) >= {*FILES, "stages"}
    metrics = metrics_of(whole)
    record = whole.with_name("runs.jsonl").read_text()
    assert json.loads(record) == metrics
    assert (metrics["paper"], metrics["model"]) == ("iam", "iam")
    assert metrics["questions"] == metrics["questions_scored"] == 6
    assert metrics["tokenizer"].endswith("-num")
    found = metrics["stages"]
    assert list(found) == ["lm-question", "lm-answer", "rbm"]
    for side in ("question", "answer"):
        stage = found[f"lm-{side}"]
        for name in ("perplexity", "unigram", "bigram"):
            assert list(stage[name]) == ["forward", "backward"]
            assert min(stage[name].values()) > 1
        assert stage["seconds_per_epoch"] > 0
    assert found["lm-question"]["texts"] == 6 < found["lm-answer"]["texts"]
    assert len(found["rbm"]["energy_gap"]) == 2
    # The tables of the same run, and the words that it attends to.
    table = tmp_path / "tables.md"
    options = ["--run", str(whole), f"--output={table}"]
    assert iam_tables.main(options) == 0
    assert table.read_text().count("T@1") == 2 * 2
    texts = ["--question", "who wrote it ?", "--answer", "jane in 1815"]
    assert cli.main(["attention", str(whole), *texts]) == 0
    shown = capsys.readouterr().out
    assert "IAM, score" in shown and "num" in shown


@pytest.mark.slow
def test_without_held_out_texts_language_models_keep_the_last_epoch(
    tmp_path, monkeypatch
):
    worse = itertools.count(2.0)
    monkeypatch.setattr(
        language_models,
        "perplexity",
        lambda *_: dict.fromkeys(("forward", "backward"), next(worse)),
    )
    for folder, settings, epoch in (
        ("chosen", {}, 1),
        ("last", {"average_last": 1, "lm_patience": 1}, 2),
    ):
        assert run(tmp_path / folder, "--stage=lm", **settings) == 0
        stages = list((tmp_path / folder / "stages").glob("lm-*"))
        assert [metrics_of(s)["epoch"] for s in stages] == [epoch] * 2


@pytest.mark.slow
def test_stages_are_made_alone_and_only_if_their_inputs_changed(
    whole, stages, tmp_path, capsys
):
    folder, before = tmp_path / "run", names(stages)
    shared = f"--stage-dir={stages}"
    assert run(folder, "--stage=rbm") == 2
    error = capsys.readouterr().err
    assert f"{folder}/stages/lm-question-" in error
    assert "expected the finished stage lm-question" in error
    # What a stage does not depend on changes nothing.
    assert run(folder, shared, "--stage=rbm", jump_scale="log", epochs=9) == 0
    assert "to be made" not in capsys.readouterr().out
    assert run(folder, shared, "--stage=rbm", lm_min_count=3) == 2
    assert "`lm_min_count` was 2 and is 3" in capsys.readouterr().err
    assert run(folder, shared, "--stage=rbm", rbm_answers=4) == 0
    out = capsys.readouterr().out
    assert "other inputs: `rbm_answers` was 20000 and is 4" in out
    assert not folder.exists()
    (made,) = set(names(stages)) - set(before)
    assert metrics_of(stages / made)["texts"] == 4
    # A stage that is gone is made again, the same.
    (question,) = stages.glob("lm-question-*")
    shutil.rmtree(question)
    assert run(folder, shared, "--stage=lm") == 0
    assert sorted({*before, made}) == names(stages)


def test_a_matcher_without_its_stages_leaves_nothing_to_resume(
    tmp_path, capsys
):
    for _ in range(2):
        assert run(tmp_path / "run", "--stage=match") == 2
        error = capsys.readouterr().err
        assert "expected the finished stage lm-question" in error


@pytest.fixture
def bert(monkeypatch):
    """A BERT of random vectors, in the place of a real one."""
    from gensim.models import KeyedVectors

    class Bert:
        def __init__(self, source):
            self.fingerprint = f"of {source}"

    def bert_word_vectors(words, source, *, dim, **options):
        found = KeyedVectors(dim)
        rng = np.random.default_rng(0)
        found.add_vectors(words, rng.normal(size=(len(words), dim)))
        return found

    def bert_text_vectors(texts, source, *, dim, **options):
        found = [np.full((len(text), dim), len(text)) for text in texts]
        return VectorTexts.from_arrays(found, dim)

    monkeypatch.setattr(vectors, "Bert", Bert)
    monkeypatch.setattr(vectors, "bert_word_vectors", bert_word_vectors)
    monkeypatch.setattr(
        "keras_qa.embeddings.bert_text_vectors", bert_text_vectors
    )


@pytest.mark.slow
def test_contextual_vectors_of_a_bert(tmp_path, bert):
    options = ["--model=iam-bert-contextual", "--bert=/models/tiny"]
    settings = dict.fromkeys(TERM_SETTINGS, False) | {"answer_state": True}
    settings |= {"bert_dim": 5, "lm_trainable_embeddings": True}
    settings |= {"match": True, "match_in_logit": True}
    settings |= {"contextual_answers": True}
    assert run(tmp_path / "run", *options, **settings) == 0
    metrics = metrics_of(tmp_path / "run")
    assert metrics["vectors"] == ["bert:tiny"]
    assert metrics["inputs"]["vectors"] == ["of /models/tiny"]
    # Without the jump there is nothing to be learnt about it.
    assert list(metrics["stages"]) == ["lm-question", "lm-answer"]
    # It knows its questions by number, and no others.
    assert "model.keras" in names(tmp_path / "run")
    assert "saved_model" not in names(tmp_path / "run")
    model = keras.models.load_model(tmp_path / "run/model.keras")
    assert model.get_config()["contextual_vectors"][-1] == 5
    assert model.get_config()["contextual_answers"][-1] == 5
    assert model.match_in_logit
    assert model.embedding_dim == 5
    # Each language model has word vectors of its own.
    assert model.reader_embeddings == "own"
    # All words of the vocabulary but the unknown one.
    share = metrics["coverage"]["any_words"]
    assert share["covered"] == share["total"] > 0


@pytest.mark.parametrize("model", ["ap-cnn", "qa-lstm"])
def test_other_papers_models_have_their_own_settings(
    tmp_path, without_export, model
):
    changes = {"units": 3, "skipgram_dim": 6, "negatives": 2}
    options = [f"--set={name}={value}" for name, value in changes.items()]
    options += [f"--model={model}", f"--output-dir={tmp_path / 'run'}"]
    assert iam.main(["--smoke", *options]) == 0
    metrics = metrics_of(tmp_path / "run")
    assert (metrics["paper"], metrics["model"]) == ("iam", model)
    assert metrics["overrides"] == changes
    assert "stages" not in metrics
    if model == "qa-lstm":
        expected = recorded(QALSTMSettings()) | metrics["overrides"]
        assert metrics["settings"] == expected


def test_settings_are_the_papers():
    paper = settings_of(iam, "--dataset=wikiqa")
    names = ("optimizer", "learning_rate", "batch_size", "clipnorm", "dropout")
    assert [paper[name] for name in names] == ["sgd", 0.1, 50, 5.0, 0.5]
    names = ("units", "layers", "bert_dim", "initializer_range", "oov_scale")
    assert [paper[name] for name in names] == [100, 2, 100, 0.05, 0.3]
    assert (paper["lm_learning_rate"], paper["rbm_learning_rate"]) == (0.1, 0.1)
    for name in ("optimizer", "dropout", "initializer_range"):
        assert paper[f"lm_{name}"] == paper[name]
    assert iam.terms_of(IAMSettings(**paper)) == list(TERMS)
    small = settings_of(iam, "--recipe=small", "--epochs=3")
    # Only what makes it quick differs.
    assert {n for n in paper if paper[n] != small[n]} == {
        *RECIPES["small"].changes
    }
    assert small["epochs"] == 3


@pytest.mark.parametrize("name", sorted(TERM_SETTINGS))
def test_each_term_can_be_switched_off(name):
    settings = settings_of(iam, f"--set={name}=false")
    terms = [term for term in TERMS if term != TERM_SETTINGS[name]]
    assert iam.terms_of(IAMSettings(**settings)) == terms
    small = IAMSettings(**settings | {"units": 2, "layers": 1})
    matrix = np.ones((5, 3), np.float32)
    model = iam.EXPERIMENT.build_model("iam", small, matrix)
    assert model.get_config()["terms"] == terms
    config = model.get_config()
    for key in ("hidden_units", "dropout", "question_term", "l2"):
        assert config[key] == settings[key]


@pytest.mark.parametrize(
    ("decay", "expected"),
    [
        ("once", [0.1, 0.1, 0.05, 0.05, 0.05]),
        ("each", [0.1, 0.1, 0.05, 0.025, 0.0125]),
    ],
)
def test_rates_are_halved(decay, expected):
    settings = IAMSettings(decay=decay, decay_epochs=2)
    (callback,) = learning_rates(settings, 0.1)
    rates = [callback.schedule(epoch, 9.9) for epoch in range(5)]
    assert rates == pytest.approx(expected)


@pytest.mark.slow
def test_rates_are_halved_in_each_stage(whole, rates):
    assert len(rates) == 3  # two language models and the matcher
    assert all(seen == pytest.approx([0.1, 0.05]) for seen in rates.values())


def test_rates_may_stay():
    assert learning_rates(IAMSettings(decay="none"), 0.1) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stage=lm", "--model=qa-lstm"], "`--stage lm` is of iam, iam-bert"),
        (["--set=question_term=last"], "`question_term` must be one of"),
        (["--set=jump=2"], "`jump` must be of type bool"),
        (["--set=contextual_answers=true"], "is of iam-bert-contextual"),
        (["--set=match=false", "--set=match_in_logit=true"], "`match` must be"),
        (["--set=decay=2/T"], "`decay` must be one of"),
        (["--stage=lm", "--set=lm_loss_per=text"], "`lm_loss_per` must be one"),
    ],
)
def test_bad_input_is_a_message(
    tmp_path, capsys, without_export, arguments, message
):
    assert run(tmp_path / "run", *arguments) == 2
    assert message in capsys.readouterr().err


class Stop(Exception):
    """What follows is tested elsewhere."""


@pytest.fixture
def stage(capital_questions):
    """A run with settings other than the defaults."""
    settings = IAMSettings(
        units=3,
        layers=1,
        batch_size=2,
        clipnorm=0.5,
        optimizer="adamw",
        learning_rate=0.25,
        patience=6,
        decay="once",
        decay_epochs=1,
        jump_scale="log",
        jump_offset="none",
        jump_temperature="none",
        jump_max_exponent=7.0,
        lm_optimizer="rmsprop",
        lm_learning_rate=0.125,
        lm_dropout=0.75,
        lm_initializer_range=0.5,
        lm_trainable_embeddings=True,
        lm_answer_epochs=3,
        lm_patience=4,
        lm_min_count=3,
        lm_max_classes=5,
        lm_shared_softmax=True,
        lm_loss_per="word",
        rbm_initializer_range=0.0,
        rbm_learning_rate=0.0625,
        rbm_epochs=2,
        rbm_k=9,
    )
    run = run_of(capital_questions, settings, "iam", select=capital_questions)
    run.own = run
    return run


def noted(given, name, result=None):
    def note(*arguments, **options):
        given[name] = (*arguments, options)
        if result is None:
            raise Stop
        return result

    return note


def test_language_models_are_as_the_settings_say(stage, monkeypatch):
    given = {}
    optimizers = []
    model = SimpleNamespace(compile=optimizers.append)
    for name, key, result in (
        ("output_classes", "classes", "the classes"),
        ("BidirectionalLanguageModel", "model", model),
        ("fit_best_epoch", "fit", None),
    ):
        monkeypatch.setattr(language_models, name, noted(given, key, result))
    with pytest.raises(Stop):
        language_models.train_language_model(stage, "answer", None)
    assert given["classes"][-1] == {"min_count": 3, "max_classes": 5}
    *sizes, options = given["model"]
    assert sizes == [*stage.matrix.shape, 3, 1]
    assert options.pop("embeddings") is stage.matrix
    assert options == {
        "classes": "the classes",
        "dropout": 0.75,
        "trainable_embeddings": True,
        "shared_softmax": True,
        "loss_per": "word",
        "initializer_range": 0.5,
        "name": "answer_language_model",
    }
    (optimizer,) = optimizers
    assert isinstance(optimizer, keras.optimizers.RMSprop)
    assert optimizer.global_clipnorm == 0.5
    assert float(optimizer.learning_rate) == 0.125
    _, batches, _, _, epochs, options = given["fit"]
    assert (batches.batch_size, batches.seed, epochs) == (2, 3, 3)
    assert options["patience"] == 4
    (rates,) = options["callbacks"]
    assert rates.schedule(1, 9.9) == 0.0625


def test_the_jump_is_as_the_settings_say(stage, monkeypatch):
    score = jump._jump(stage.settings)
    names = ("scale", "offset", "temperature", "max_exponent")
    expected = ["log", "none", "none", 7.0]
    assert [getattr(score, name) for name in names] == expected
    assert not keras.ops.convert_to_numpy(score.kernel).any()
    given = {}
    fit = SimpleNamespace(fit=noted(given, "fit"))
    monkeypatch.setattr(jump, "_jump", lambda settings: fit)
    with pytest.raises(Stop):
        jump.train_jump(stage, SimpleNamespace(encoder=None), None)
    options = given["fit"][-1]
    rates, _ = options.pop("callbacks")
    assert rates.schedule(1, 9.9) == 0.0625 / 2
    assert options.pop("verbose") == 0
    assert options == {
        "epochs": 2,
        "batch_size": 2,
        "learning_rate": 0.0625,
        "clipnorm": 0.5,
        "k": 9,
        "seed": 3,
    }


def test_the_matcher_is_fitted_as_the_settings_say(stage, monkeypatch):
    model = SimpleNamespace(
        load_language_models=lambda *models: None,
        adapt_idf=lambda texts: None,
    )
    found = iam_stages.Stages(dict.fromkeys(SIDES), None, {})
    monkeypatch.setattr(iam_stages, "run_stages", lambda run, jump: found)
    monkeypatch.setattr(
        type(iam.EXPERIMENT), "build_model", lambda *arguments: model
    )
    learner = iam.EXPERIMENT.build_learner(stage)
    assert isinstance(learner.optimizer, keras.optimizers.AdamW)
    assert learner.optimizer.global_clipnorm == 0.5
    assert float(learner.optimizer.learning_rate) == 0.25
    assert learner.patience == 6
    (rates,) = learner.callbacks
    assert rates.schedule(1, 9.9) == 0.125


def test_the_jump_of_the_matcher_is_as_the_settings_say(stage, monkeypatch):
    given = {}
    monkeypatch.setattr(
        type(iam.EXPERIMENT),
        "model_of_words",
        lambda self, *arguments, **options: given.update(options),
    )
    iam.EXPERIMENT.build_model("iam", stage.settings, stage.matrix)
    expected = {"scale": "log", "max_exponent": 7.0}
    expected |= dict.fromkeys(("offset", "temperature"), "none")
    assert given["jump"] == expected
    # A language model's vectors are trained, so each reader has its own.
    assert given["reader_embeddings"] == "own"
