"""A run that was interrupted before files moved goes on to the same end."""

import shlex
import shutil
from pathlib import Path

import pytest

from reproductions.hyperqa.experiment import main

BEFORE = Path(__file__).parents[2] / "data/before_move"


def ranked(path):
    """Questions, answers and ranks of a file, and their scores."""
    lines = [line.split() for line in path.read_text().splitlines()]
    return (
        [(*line[:4], line[5]) for line in lines],
        [float(line[4]) for line in lines],
    )


def test_a_run_that_was_interrupted_before_the_move_goes_on(
    tmp_path, without_export
):
    folder = shutil.copytree(BEFORE / "unfinished_hyperqa", tmp_path / "run")
    command = (BEFORE / "unfinished_hyperqa.command.txt").read_text()
    arguments = shlex.split(command.replace("FOLDER", str(folder)))
    assert arguments[:3] == ["python", "-m", "reproductions.hyperqa"]
    weights = (folder / "epoch-0001.weights.h5").read_bytes()
    assert main(arguments[3:]) == 0
    # The first epoch was not trained again.
    assert len((folder / "history.csv").read_text().splitlines()) == 1 + 3
    kept = folder / "epoch-0001.weights.h5"
    assert not kept.exists() or kept.read_bytes() == weights
    order, scores = ranked(folder / "run.trec")
    expected, before = ranked(BEFORE / "unfinished_hyperqa.run.trec")
    assert order == expected
    assert scores == pytest.approx(before, rel=1e-5)
