"""The options and settings that all scripts share."""

import pytest

from reproductions.harness.settings import SettingsError
from reproductions.harness.settings import parse_arguments
from reproductions.harness.settings import resolve_settings

DEFAULTS = {
    "rate": 0.1,
    "size": 3,
    "name": "sum",
    "flag": False,
    "max_answer_length": None,
}


def parse(*argv):
    return parse_arguments("paper", "About.", ["one", "two"], ["r", "s"], argv)


def test_defaults():
    arguments = parse()
    assert (arguments.model, arguments.recipe) == ("one", "r")
    assert arguments.embeddings == ["skipgram"]
    assert str(arguments.output_dir) == "runs/paper/sample-test-one-r-seed1"


def test_several_vector_files_and_settings():
    arguments = parse(
        *("--embeddings", "a.txt", "skipgram"),
        *("--set", "rate=1", "--set", "size=2"),
    )
    assert arguments.embeddings == ["a.txt", "skipgram"]
    assert arguments.overrides == ["rate=1", "size=2"]


def test_a_script_may_have_options_of_its_own(capsys):
    arguments = parse_arguments(
        *("paper", "About.", ["one"], ["r"], ["--stage", "b"]),
        add_options=lambda parser: parser.add_argument(
            "--stage", choices=("a", "b")
        ),
    )
    assert arguments.stage == "b"
    with pytest.raises(SystemExit):
        parse("--stage", "b")


def test_unknown_model_is_refused(capsys):
    with pytest.raises(SystemExit):
        parse("--model", "three")
    assert "invalid choice: 'three'" in capsys.readouterr().err


def test_layers_then_overrides():
    settings = resolve_settings(
        DEFAULTS,
        {"rate": 0.2, "size": 4},
        {"size": 5},
        overrides=["flag=true", "name=mean", "max_answer_length=40", "rate=1"],
    )
    assert settings == {
        "rate": 1.0,
        "size": 5,
        "name": "mean",
        "flag": True,
        "max_answer_length": 40,
    }
    assert isinstance(settings["rate"], float)
    assert DEFAULTS["rate"] == 0.1


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("sise=4", r"one of \['flag', .*Received: 'sise'"),
        ("size=1.5", r"`size` must be of type int\. Received: size=1.5"),
        ("size=null", r"`size` must be of type int\. Received: size=None"),
        ("flag=1", r"`flag` must be of type bool\. Received: flag=1"),
        ("size", r"expects name=value\. Received: 'size'"),
    ],
)
def test_bad_overrides(override, message):
    with pytest.raises(SettingsError, match=message):
        resolve_settings(DEFAULTS, overrides=[override])
