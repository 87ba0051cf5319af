"""The other systems from the command line, with models of the papers."""

import inspect
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

import keras
import numpy as np
import pytest

import keras_qa
import reproductions
from reproductions.harness.command import run_command
from reproductions.harness.errors import SettingsError
from reproductions.records.runs import RUNS
from reproductions.records.runs import read_runs
from reproductions.systems.classes import CLASSES
from reproductions.systems.experiment import SystemsExperiment
from reproductions.systems.experiment import fixed_lengths
from reproductions.systems.settings import MODELS
from reproductions.systems.settings import RECIPES
from reproductions.systems.settings import SystemsSettings
from reproductions.systems.stacked import STACKS
from support.script_runs import FILES
from support.script_runs import metrics_of

# Settings in which a model differs from the defaults of its class.
OTHER = {
    "mp-cnn-rank": {"hidden_units"},
    "iarnn-word": {"inner_attention"},
    "iarnn-occam": {"inner_attention", "occam"},
    **{
        model: {"attention", "shared_feature_maps"}
        for model in ("bcnn", "abcnn-1", "abcnn-2", "abcnn-3")
    },
}


class OfThePapers(SystemsExperiment):
    """With models of the papers in the place of the others."""

    models = ("short", "joined")
    own_settings = {
        **SystemsExperiment.own_settings,
        **{"short": ("filters", "kernel_size"), "joined": ("kernel_size",)},
    }


@pytest.fixture(autouse=True)
def classes(monkeypatch):
    monkeypatch.setitem(CLASSES, "short", ("QACNN", ("filters", "kernel_size")))
    monkeypatch.setitem(CLASSES, "joined", ("CNNRanker", ("kernel_size",)))


def settings_of(experiment=None, /, **arguments):
    given = {
        "model": "short",
        "dataset": "wikiqa",
        "recipe": "paper",
        "row": None,
        "epochs": None,
        "overrides": [],
        "transfer": [],
        "teacher": None,
        **arguments,
    }
    return (experiment or OfThePapers()).settings_of(Namespace(**given))


def run(folder, *options, **settings):
    small = {"skipgram_dim": 6, "smoke_questions": 6, **settings}
    return run_command(
        OfThePapers(),
        [
            *("--smoke", f"--output-dir={folder}", "--model=short"),
            *([] if "--model=joined" in options else ["--set=filters=4"]),
            *(f"--set={name}={value}" for name, value in small.items()),
            *options,
        ],
    )


@pytest.mark.once
def test_a_class_that_is_there_takes_its_settings():
    defaults = asdict(SystemsSettings())
    for model in CLASSES.keys() - {*OfThePapers.models}:
        class_name, names = CLASSES[model]
        assert set(names) <= defaults.keys()
        known = inspect.signature(getattr(keras_qa, class_name)).parameters
        assert {*names, "dropout", "l2"} <= known.keys(), model
        published = defaults | MODELS.get(model, {})
        changed = {n for n in names if published[n] != known[n].default}
        assert changed <= OTHER.get(model, set()), model
        overlap = MODELS.get(model, {}).get("overlap")
        assert not overlap or "overlap_features" in known, model


@pytest.mark.once
@pytest.mark.parametrize(
    ("name", "attribute", "value"),
    [
        ("adagrad", "initial_accumulator_value", 1e-8),
        ("adadelta", "epsilon", 1e-6),
    ],
)
def test_optimizers_begin_as_published(
    tmp_path, monkeypatch, name, attribute, value
):
    found, get = [], keras.optimizers.get

    def kept(identifier):
        found.append(get(identifier))
        return found[-1]

    monkeypatch.setattr(keras.optimizers, "get", kept)
    assert run(tmp_path / "run", "--recipe=paper", optimizer=name) == 0
    assert getattr(found[0], attribute) == value


@pytest.mark.once
def test_the_recipe_is_that_of_the_last_recorded_runs():
    """A change of a paper's settings must not change `best` unseen."""
    last = {
        (run["model"], run["dataset"]): run
        for run in read_runs(Path(reproductions.__path__[0], "records", RUNS))
        if (run["paper"], run["recipe"]) == ("systems", "best")
    }
    assert len(last) > 100
    for run in last.values():
        given = {name: run[name] for name in ("model", "dataset", "recipe")}
        now = asdict(settings_of(SystemsExperiment(), **given))
        for name in run["settings"].keys() & now.keys() - run["overrides"]:
            assert run["settings"][name] == now[name], (given, name)


@pytest.mark.once
def test_the_command_offers_every_class():
    assert {name for name, _ in CLASSES.values()} <= {*keras_qa.__all__}
    assert MODELS.keys() <= CLASSES.keys() | STACKS.keys()
    for recipe in RECIPES.values():
        assert recipe.models.keys() <= CLASSES.keys() | STACKS.keys()


@pytest.mark.once
def test_by_the_hardest_wrong_answers_of_a_question(tmp_path):
    hardest = {"paper_objective": "pairwise", "sampler": "max", "negatives": 8}
    assert run(tmp_path / "run", **hardest) == 0
    written = {path.name for path in (tmp_path / "run").iterdir()}
    assert written >= FILES
    metrics = metrics_of(tmp_path / "run")
    assert (metrics["paper"], metrics["model"]) == ("systems", "short")
    assert MODELS["mp-cnn-rank"].items() >= hardest.items()


@pytest.mark.once
def test_by_lists_with_features_of_overlap(tmp_path):
    given = {"overlap": "true", "objective": "listwise"}
    assert run(tmp_path / "run", "--model=joined", **given) == 0
    assert (tmp_path / "run/overlap.json").exists()


@pytest.mark.once
def test_settings_of_other_models_are_refused():
    assert settings_of(overrides=["filters=7"]).filters == 7
    with pytest.raises(SettingsError, match="`sigma` is of other models than"):
        settings_of(overrides=["filters=7", "sigma=3"])


def test_features_are_refused_for_a_model_that_takes_none():
    with pytest.raises(SettingsError, match=r"false for QACNN.*overlap=True"):
        settings_of(overrides=["overlap=true"])


@pytest.mark.once
def test_fixed_lengths_are_those_of_the_longest_texts(
    monkeypatch,
):
    def grid(*, question_length=40, answer_length=None, **_):
        return question_length, answer_length

    monkeypatch.setitem(CLASSES, "short", ("Grid", ()))
    monkeypatch.setattr(keras_qa, "Grid", grid, raising=False)
    longest = {"question": 5, "answer": 7}
    settings, matrix = SystemsSettings(), np.zeros((3, 2), np.float32)
    built = OfThePapers().build_model("short", settings, matrix, longest)
    assert built == (5, None)
    abcnn = OfThePapers().build_model("abcnn-1", settings, matrix, longest)
    assert fixed_lengths(abcnn) == [7, 7]
    settings = SystemsSettings(**MODELS["bcnn"])
    bcnn = OfThePapers().build_model("bcnn", settings, matrix, longest)
    assert fixed_lengths(bcnn) == []


@pytest.mark.once
def test_posts_of_a_forum_are_cut_and_best_is_one_recipe():
    assert settings_of(dataset="semeval").max_answer_length == 100
    assert settings_of().max_answer_length is None
    wikiqa = settings_of(recipe="best")
    assert (wikiqa.word_norm, wikiqa.objective) == ("unit", "listwise")
    assert settings_of(recipe="best", dataset="trecqa-raw").word_norm == "power"
