"""What the studies of all papers share."""

import sys
from pathlib import Path

import pytest

from reproductions import best
from reproductions import study
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.studies import making
from reproductions.harness.studies.workers import FAILURES

pytestmark = pytest.mark.once
# A folder without data, and a file without vectors.
GIVEN = [f"--data-dir={Path(__file__).parent}", "--embeddings", __file__]
COMMAND = ["ctrn", *GIVEN]
FEW = ["--datasets=wikiqa", "--seeds=1", "--models=cnn"]


@pytest.mark.parametrize("name", study.studies())
def test_help_shows_the_options_of_a_study(name, capsys):
    with pytest.raises(SystemExit, match="0"):
        study.main([name, "--help"])
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: python -m reproductions.study {name} ")
    assert "--workers N" in shown and "--worker " not in shown


def test_failed_runs_are_named_with_their_logs(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(making, "forget_models", lambda: None)
    options = [*FEW, "--retries=0", f"--output-dir={tmp_path}"]
    assert study.main([*COMMAND, *options]) == 1
    error = capsys.readouterr().err
    # What the first runs lack, all lack.
    assert error.count("failed: wikiqa-") == FAILURES
    assert error.count(f": {Path(__file__).parent}: expected") == FAILURES
    for log in tmp_path.glob("queue/logs/*.log"):
        assert f"  {log}\n" in error


@pytest.mark.parametrize(
    "option",
    ["--data-dir=none", "--embeddings=none.bin", "--embeddings=elmo:none"],
)
def test_what_all_runs_lack_is_named_before_them(tmp_path, capsys, option):
    assert study.main([*COMMAND, option, f"--output-dir={tmp_path}"]) == 2
    name, _, value = option.partition("=")
    error = capsys.readouterr().err
    assert f"{name} must be " in error and f"Received: {value}\n" in error
    assert not list(tmp_path.iterdir())


def test_vectors_that_are_no_file_need_none():
    names = ("skipgram", "random", "bert:minilm", __file__)
    making.check_files(Path(__file__).parent, names)


def test_each_run_of_the_study_of_all_models_has_its_own_folder():
    given = ["--data-dir=none", "--embeddings", "none.bin"]
    arguments = best.parser().parse_args(given)
    names = [run.name for run in best.runs(arguments)]
    assert len(names) == len(set(names)) > 800


def test_two_runs_of_one_folder_are_refused(tmp_path):
    run = making.PlannedRun("a", ("--seed", "1"), ["v.bin"])
    other = making.PlannedRun("a", ("--seed", "2"), ["v.bin"])
    given = [f"--output-dir={tmp_path}", "--data-dir=none", "--embeddings", "v"]
    arguments = best.parser().parse_args(given)
    with pytest.raises(ValueError, match="Two runs have the folder 'a'"):
        making.run_all("hyperqa", [run, other], arguments)


def test_finished_runs_are_not_made_again(tmp_path, monkeypatch):
    made = []

    def make(job):
        folder = Path(job["options"][-1])
        folder.mkdir(exist_ok=True)
        (folder / "metrics.json").touch()
        made.append(folder.name)
        return True

    monkeypatch.setattr(making, "make", make)
    options = [*COMMAND, *FEW, f"--output-dir={tmp_path}"]
    for _ in range(2):
        assert study.main(options) == 0
        assert len(made) == len(FLOORS) + 1
    # A finished run writes its record, which this command has not asked for.
    assert study.main([*options, "--record=runs.jsonl"]) == 0
    assert made == 2 * made[: len(FLOORS) + 1]


def test_a_missing_extra_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert study.main([*COMMAND, f"--output-dir={tmp_path}"]) == 2
    assert "pip install 'keras-qa[study]'" in capsys.readouterr().err
