"""The readers of what the reproduction scripts have written."""

import json
from pathlib import Path

from devtools.fuzz import structures
from devtools.fuzz.target import Target
from reproductions.records.deviations import load_deviations
from reproductions.records.paired_tests import read_paired_tests
from reproductions.records.parameters import ParametersError
from reproductions.records.parameters import read_parameters
from reproductions.records.reading import RecordError
from reproductions.records.runs import read_runs
from reproductions.records.seed_groups import group_runs

RECORDS = Path(__file__).parents[2] / "reproductions/records"


def targets() -> list[Target]:
    """The targets, each with the number of its inputs."""
    return [
        Target(
            "runs",
            lambda: {"runs.jsonl": _lines("runs.jsonl")},
            lambda folder: _read_runs(folder / "runs.jsonl"),
            (RecordError,),
            structured=structures.json_lines("runs.jsonl"),
            # A torn last line is left out with a warning.
            warnings=(UserWarning,),
            guided="runs.jsonl",
        ),
        Target(
            "comparisons",
            lambda: {"paired_tests.jsonl": _lines("paired_tests.jsonl")},
            lambda folder: [
                c.identity
                for c in read_paired_tests(folder / "paired_tests.jsonl")
            ],
            (RecordError,),
            structured=structures.json_lines("paired_tests.jsonl"),
            guided="paired_tests.jsonl",
        ),
        Target(
            "parameters",
            lambda: {"parameters.jsonl": _lines("parameters.jsonl")},
            lambda folder: read_parameters(folder / "parameters.jsonl"),
            (ParametersError,),
            inputs=6_000,
            structured=structures.json_lines("parameters.jsonl"),
            guided="parameters.jsonl",
        ),
        Target(
            "targets",
            lambda: {"paper_figures.toml": _TARGETS},
            lambda folder: load_targets(folder / "paper_figures.toml"),
            (RecordError,),
            structured=structures.toml_file("paper_figures.toml"),
            guided="paper_figures.toml",
        ),
        Target(
            "ledger",
            lambda: {"deviations.toml": _LEDGER},
            lambda folder: load_deviations(folder / "deviations.toml"),
            (RecordError,),
            inputs=6_000,
            structured=structures.toml_file("deviations.toml"),
            guided="deviations.toml",
        ),
    ]


_TARGETS = b"""
[models]
hyperqa = "HyperQA"
[papers.hyperqa]
name = "HyperQA"
title = "T"
authors = "A"
venue = "V"
link = "L"
hardware = "H"
selection = "S"
findings = ["one", "two"]
[[papers.hyperqa.tables]]
number = "Table 1"
caption = "C"
counts = ["wikiqa"]
[[papers.hyperqa.tables]]
number = "Table 2"
caption = "C"
dataset = "wikiqa"
split = "test"
metrics = ["MAP", "MRR"]
training_set = "train"
training_pairs = 8672
vectors = ["glove.840B.300d"]
tolerance = 0.02
rows = [{ model = "M", ours = "hyperqa", MAP = 0.7, MRR = 1, seconds = 3.5 }]
[[papers.hyperqa.tables]]
number = "Table 3"
caption = "C"
dataset = "insuranceqa-v1"
split = "test"
metrics = ["A", "B"]
parts = { A = "selection", B = "test1" }
metric = "P@1"
percent = true
training_set = "train"
training_pairs = 1
vectors = []
tolerance = 1
rows = []
[[papers.hyperqa.tables]]
number = "Table 4"
caption = "C"
sizes = { d = 512, m = 300 }
rows = [{ model = "M", ours = "ctrn", formula = "d m", parameters = "1K" }]
[[papers.hyperqa.tables]]
number = "Table 5"
caption = "C"
columns = ["Model", "MAP"]
rows = [["M", "0.5"]]
[[papers.hyperqa.figures]]
number = "Figure 3"
caption = "C"
description = "D"
command = "python"
[[papers.hyperqa.comparisons]]
first = "hyperqa"
second = "cosine-qa"
readings = ["conversion"]
"""
_LEDGER = b"""
[[deviations]]
paper = "hyperqa"
where = "Eq. 1"
printed = "a"
reading = \"\"\"
b
c\"\"\"
arguments = ["--option"]
tests = ["tests/test_a.py::test_b", "tests/test_a.py::test_c"]
[[deviations]]
paper = "ctrn"
where = "Eq. 2"
printed = "d"
reading = "e"
arguments = []
tests = []
"""


def _lines(name: str) -> bytes:
    with (RECORDS / name).open("rb") as file:
        return b"".join(line for line, _ in zip(file, range(3), strict=False))


def _read_runs(path: Path) -> None:
    runs = read_runs(path)
    json.dumps(runs)
    for group in group_runs(runs):
        for name in group.metrics:
            group.metric(name)
