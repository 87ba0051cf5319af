"""The fusion of finished runs, from their files."""

import pytest

from reproductions.fusion import fuse_runs
from reproductions.fusion import main

# Candidates of two questions, right ones first, and the scores of two runs.
RIGHT = {"q1": "a", "q2": "d"}
SCORES = [
    {("q1", "a"): 0.1, ("q1", "b"): 0.2, ("q2", "c"): 0.0, ("q2", "d"): 5.0},
    {("q1", "a"): 90.0, ("q1", "b"): 10.0, ("q2", "c"): 1.0, ("q2", "d"): 1.0},
]


@pytest.fixture
def runs(tmp_path):
    """Two folders; their candidates were shuffled with other seeds."""
    folders = []
    for i, scores in enumerate(SCORES):
        folder = tmp_path / str(i)
        folder.mkdir()
        places = {key: (7 * i + j) % 4 for j, key in enumerate(scores)}
        lines, labels = [], []
        for (question, candidate), score in scores.items():
            name = f"{places[question, candidate]:05d}-{candidate}"
            lines.append(f"{question} Q0 {name} 1 {score} tag\n")
            right = int(RIGHT[question] == candidate)
            labels.append(f"{question} 0 {name} {right}\n")
        (folder / "run.trec").write_text("".join(lines))
        (folder / "qrels.trec").write_text("".join(labels))
        folders.append(folder)
    return folders


def test_each_alone_and_together(runs):
    assert fuse_runs(runs[:1])["P@1"] == 0.5
    # With as much weight neither is right of q1; with more, the second is.
    assert fuse_runs(runs, [1.0, 1.5]) == {"MAP": 1.0, "MRR": 1.0, "P@1": 1.0}
    assert fuse_runs(runs, [1.5, 1.0])["MRR"] == 0.75


def test_the_command(runs, capsys):
    options = [f"--run={folder}" for folder in runs]
    assert main([*options, "--weights", "1", "1.5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("0: MAP 0.7500  MRR 0.7500  P@1 0.5000")
    assert lines[-1] == "all: MAP 1.0000  MRR 1.0000  P@1 1.0000"


def test_other_candidates_are_refused(runs, capsys):
    path = runs[1] / "run.trec"
    path.write_text(path.read_text().replace("-d", "-e"))
    assert main([f"--run={folder}" for folder in runs]) == 2
    assert "Received: 2 of them in one of both alone" in capsys.readouterr().err
    assert main([f"--run={runs[0]}", "--weights", "1", "2"]) == 2
    assert "`weights` must be one for each of 1" in capsys.readouterr().err
