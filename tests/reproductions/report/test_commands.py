"""The command of a record: parsed again, it gives the record's settings."""

import shlex

import pytest

from reproductions.harness.command import parse_arguments
from reproductions.harness.settings import recorded
from reproductions.records.json_lines import RecordError
from reproductions.records.paper_figures import FOLDER
from reproductions.records.runs import read_all_runs
from reproductions.report import commands
from support.report_pages import run


def settings(options):
    experiment = commands.experiment_or_none("hyperqa")
    return recorded(
        experiment.settings_of(parse_arguments(experiment, options))
    )


def test_records_can_be_made_again():
    """One of each recipe and paper; the others differ in little."""
    found = {
        (one["paper"], one["recipe"], one["dataset"]): one
        for one in read_all_runs(FOLDER / "records")
        # Where a teacher was is not recorded, and `options_of` says so.
        if not one.get("inputs", {}).get("teacher")
    }
    for one in found.values():
        assert "--seed" in commands.options_of(one)


def test_a_changed_recipe_is_written_out():
    now = settings(["--recipe", "best", "--dataset", "wikiqa"])
    record = run(
        recipe="best",
        seed=3,
        vectors=["some.bin", "skipgram"],
        settings={**now, "epochs": 77, "word_norm": "power"},
    )
    line = commands.shown(record)
    assert line.endswith(
        "--recipe best --seed 3 --embeddings "
        '"$KERAS_QA_DATA/embeddings/some.bin" skipgram '
        "--set word_norm=power --set epochs=77"
    )
    assert line.startswith("python -m reproductions.hyperqa --model hyperqa ")
    argv = shlex.split(line)[3:]
    assert settings(argv) == record["settings"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"paper": "nobody"}, "nobody has no experiment"),
        ({"inputs": {"teacher": "12"}}, "teacher is not recorded"),
        ({"settings": {"gone": 1}}, "the setting gone is no longer there"),
        ({"settings": {"epochs": -1}}, "its options are refused"),
    ],
)
def test_what_cannot_be_made_again_says_why(fields, message):
    with pytest.raises(RecordError, match=message):
        commands.options_of(run(**fields))
