"""Settings that check themselves, and the options that all commands share."""

import inspect
import sys
from dataclasses import asdict
from dataclasses import dataclass
from dataclasses import fields
from types import SimpleNamespace

import keras
import numpy as np
import pytest

import keras_qa
from keras_qa import models
from keras_qa.embeddings.scaling import NORMS
from reproductions.ctrn.experiment import EXPERIMENT as CTRN
from reproductions.harness.command import parse_arguments
from reproductions.harness.command import print_error
from reproductions.harness.errors import SettingsError
from reproductions.harness.experiment import Experiment
from reproductions.harness.experiment import experiment_of
from reproductions.harness.parts.recipes import Recipe
from reproductions.harness.parts.setting_fields import setting
from reproductions.harness.settings import ACTIVATIONS
from reproductions.harness.settings import OPTIMIZERS
from reproductions.harness.settings import WORD_NORMS
from reproductions.harness.settings import CommonSettings
from reproductions.harness.settings import recorded
from reproductions.harness.settings import resolve_settings
from reproductions.hyperqa.experiment import EXPERIMENT as HYPERQA
from reproductions.iam.experiment import EXPERIMENT as IAM
from reproductions.mrnn.experiment import EXPERIMENT as MRNN
from reproductions.qa_lstm.experiment import EXPERIMENT as QA_LSTM
from reproductions.references import experiment as references

PAPERS = (CTRN, HYPERQA, IAM, MRNN, QA_LSTM)


@dataclass(frozen=True)
class Settings(CommonSettings):
    rate: float = setting(0.1, "2.1", "of the optimizer", above=0)
    size: int = setting(3, "Table 1", least=1, most=9)
    share: float = setting(0.5, "not stated", least=0, below=1)
    name: str = setting("sum", "eq. 1", choices=("sum", "mean"))
    flag: bool = setting(False, "not stated")
    layers: list[int] = setting([], "eq. 2", above=0)  # noqa: RUF009


class Paper(Experiment):
    """About."""

    name = "paper"
    settings = Settings
    models = ("one", "two")
    recipes = {
        "r": Recipe("as published"),
        "s": Recipe(
            "small",
            {"size": 1},
            {"two": {"rate": 1.0}},
            searched={
                ("one", "sample"): {"rate": 1.0},
                ("two", "sample"): {"flag": True, "size": 2},
            },
        ),
    }


def parse(*argv):
    return parse_arguments(Paper(), argv)


def test_defaults():
    arguments = parse()
    assert (arguments.model, arguments.recipe) == ("one", "r")
    assert arguments.embeddings == ["skipgram"]
    assert str(arguments.output_dir) == "runs/paper/sample-test-one-r-seed1"
    # The same command without `--smoke` is another run.
    folder = str(parse("--smoke").output_dir)
    assert folder == "runs/paper/sample-test-one-r-seed1-smoke"


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("--seed=x", "a whole number from 0 to 4294967295"),
        ("--epochs=x", "a whole number from 1"),
        ("--epochs=0", "a whole number from 1"),
    ],
)
def test_numbers_that_are_none_are_refused(option, expected, capsys):
    with pytest.raises(SystemExit):
        parse(option)
    name, _, value = option.partition("=")
    error = capsys.readouterr().err
    assert f"argument {name}: expected {expected}. Received: {value}" in error


def test_errors_begin_with_the_command(monkeypatch, capsys):
    for module in ("reproductions.study", "reproductions.hyperqa.__main__"):
        main = SimpleNamespace(__spec__=SimpleNamespace(name=module))
        monkeypatch.setitem(sys.modules, "__main__", main)
        print_error(ValueError("no such file"))
    assert capsys.readouterr().err == (
        "python -m reproductions.study: no such file\n"
        "python -m reproductions.hyperqa: no such file\n"
    )


def test_several_vector_files_and_settings():
    arguments = parse(
        *("--embeddings", "a.txt", "skipgram"),
        *("--set", "rate=1", "--set", "size=2"),
    )
    assert arguments.embeddings == ["a.txt", "skipgram"]
    assert arguments.overrides == ["rate=1", "size=2"]


def test_a_paper_may_have_options_of_its_own(capsys):
    class Other(Paper):
        def add_options(self, parser):
            parser.add_argument("--stage", choices=("a", "b"))

    assert parse_arguments(Other(), ["--stage", "b"]).stage == "b"
    with pytest.raises(SystemExit):
        parse("--stage", "b")


def test_unknown_model_is_refused(capsys):
    with pytest.raises(SystemExit):
        parse("--model", "three")
    assert "invalid choice: 'three'" in capsys.readouterr().err


def test_layers_then_overrides():
    settings = resolve_settings(
        Settings(),
        {"rate": 0.2, "size": 4},
        {"size": 5},
        overrides=["flag=true", "name=mean", "max_answer_length=40", "rate=1"],
    )
    assert isinstance(settings.rate, float)
    changed = {"rate": 1.0, "size": 5, "name": "mean", "flag": True}
    changed["max_answer_length"] = 40
    assert asdict(settings) == {**asdict(Settings()), **changed}
    assert Settings().rate == 0.1


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            "sise=4",
            r"one of \['average_last', .*mean `size`\? Received: 'sise'",
        ),
        ("size=1.5", r"`size` must be of type int\. Received: size=1.5"),
        ("size=null", r"`size` must be of type int\. Received: size=None"),
        ("flag=1", r"`flag` must be of type bool\. Received: flag=1"),
        ("size", r"expects name=value\. Received: 'size'"),
        ("size=0", r"`size` must be at least 1 and at most 9\. Rec.*size=0"),
        ("size=10", "`size` must be at least 1 and at most 9"),
        ("rate=0", r"`rate` must be positive\. Received: rate=0.0"),
        ("rate=1e999", "`rate` must be finite"),
        ("share=1", r"`share` must be at least 0 and below 1\. Received"),
        ("name=max", r"one of \('sum', 'mean'\)\. Received: name='max'"),
        ("layers=3", r"`layers` must be of type list\. Received: layers=3"),
        ("layers=[2, 0]", r"`layers` must be a list of integers, each of wh"),
        ('layers=["a"]', r"`layers` must be a list of integers, each of wh"),
        ("oov_scale=-1", "`oov_scale` must not be negative"),
    ],
)
def test_bad_overrides(override, message):
    with pytest.raises(SettingsError, match=message):
        resolve_settings(Settings(), overrides=[override])


def test_a_wrong_value_is_refused_wherever_it_is_given():
    with pytest.raises(SettingsError, match="`name` must be one of"):
        Settings(name="max")


def test_help_shows_settings_and_recipes(capsys):
    with pytest.raises(SystemExit):
        parse("--help")
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "s small; size=1; of two, one on sample: rate=1.0; "
        "of two on sample: flag=True, size=2" in shown
    )
    assert "rate=0.1 float positive [2.1] of the optimizer" in shown
    assert 'name="sum" sum | mean [eq. 1]' in shown
    assert "int positive | null [not stated]" in shown


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_help_names_every_setting_of_a_paper(paper, capsys):
    with pytest.raises(SystemExit):
        parse_arguments(paper, ["--help"])
    shown = capsys.readouterr().out
    for name in asdict(paper.settings()):
        assert f"\n  {name}=" in shown


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_recipes_models_and_data_sets_have_settings_that_exist(paper):
    for recipe in paper.recipes:
        for model in paper.models:
            for dataset in ("sample", *paper.of_dataset):
                options = (f"--recipe={recipe}", f"--model={model}")
                arguments = parse_arguments(
                    paper, [*options, f"--dataset={dataset}"]
                )
                paper.settings_of(arguments)


def test_later_settings_are_recorded_where_they_are_not_the_default():
    @dataclass(frozen=True)
    class Grown(Settings):
        newer: int = setting(2, "ours", later=True)

    later = {f.name for f in fields(Settings) if f.metadata["rule"].later}
    assert {"word_norm", "trainable_embeddings", "objective"} <= later
    before = {k: v for k, v in asdict(Settings()).items() if k not in later}
    assert recorded(Settings()) == recorded(Grown()) == before
    changed = Grown(newer=3, word_norm="unit")
    assert recorded(changed) == {**before, "newer": 3, "word_norm": "unit"}


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_who_trains_the_word_vectors(paper):
    assert paper.settings().trainable_embeddings is (paper is QA_LSTM)


def test_the_library_knows_the_names_of_choices():
    assert WORD_NORMS == NORMS


def test_keras_knows_the_names_of_choices():
    for name in ACTIVATIONS:
        assert callable(keras.activations.get(name))
    for name in OPTIMIZERS:
        assert keras.optimizers.get(name)


# Settings with the name of an argument that they are not.
OTHERS = {
    "LogCosineQA": {"epsilon"},
    "APCNN": {"activation"},
    "IARNN": {"similarity"},
    # The terms that a matcher has, the answers of a data set.
    "IAM": {"jump", "contextual_answers"},
    "MRNN": {"pool_size"},
}

EVERY_PAPER = (
    *("ctrn", "hyperqa", "iam", "mrnn", "qa_lstm", "references", "systems"),
)


def given_to(experiment, model, monkeypatch):
    """The class of a model, the arguments that it gets, and the settings."""
    given, asked = {}, []

    class Recorded:
        def __new__(cls, *arguments, **options):
            names = inspect.signature(asked[0]).parameters
            given.update(zip(names, arguments, strict=False), **options)

        @staticmethod
        def from_bert(bert, **options):
            given.update(options)

    def recorded(name):
        asked.append(getattr(models, name))
        Recorded.__signature__ = inspect.signature(asked[0])
        return Recorded

    for name in models.__all__:
        monkeypatch.delitem(vars(keras_qa), name, raising=False)
    monkeypatch.setattr(keras_qa, "__getattr__", recorded)
    monkeypatch.setattr(references, "_bert", lambda source: source)
    settings = experiment.settings(**experiment.of_model.get(model, {}))
    matrix = np.zeros((3, 2), np.float32)
    experiment.build_model(model, settings, matrix)
    return asked[0], given, settings


@pytest.mark.once
@pytest.mark.parametrize("paper", EVERY_PAPER)
def test_a_setting_of_an_argument_s_name_is_the_argument(paper, monkeypatch):
    experiment = experiment_of(paper)
    left_out = {*experiment.untrained, *experiment.borrowed, "overlap", "wsdm"}
    left_out -= {*references.ZERO_SHOT}
    for model in set(experiment.models) - left_out:
        with monkeypatch.context() as patch:
            cls, given, settings = given_to(experiment, model, patch)
        known = {*inspect.signature(cls).parameters}
        if paper == "references":
            known |= {*inspect.signature(cls.from_bert).parameters}
        names = known & {field.name for field in fields(settings)}
        names -= OTHERS.get(cls.__name__, set())
        assert len(names) > 2, model
        assert {name: given.get(name, "not given") for name in names} == {
            name: getattr(settings, name) for name in names
        }, model
