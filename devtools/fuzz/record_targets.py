"""Targets: the readers of `reproductions.records`."""

import json
from pathlib import Path

from devtools.fuzz import structures
from devtools.fuzz.target import Target
from reproductions.records.deviations import load_deviations
from reproductions.records.json_lines import RecordError
from reproductions.records.paired_tests import read_paired_tests
from reproductions.records.paper_figures import load_papers
from reproductions.records.runs import read_runs
from reproductions.records.seed_groups import group_runs

RECORDS = Path(__file__).parents[2] / "reproductions/records"
# A torn last line is skipped with a warning.
TORN = (UserWarning,)


def targets() -> list[Target]:
    """The targets of this module."""
    return [
        Target(
            "runs",
            lambda: {"runs.jsonl": _lines("runs.jsonl")},
            lambda folder: _read_runs(folder / "runs.jsonl"),
            (RecordError,),
            structured=structures.json_lines("runs.jsonl"),
            warnings=TORN,
            guided="runs.jsonl",
        ),
        Target(
            "paired tests",
            lambda: {"paired_tests.jsonl": _lines("paired_tests.jsonl")},
            lambda folder: [
                test.identity
                for test in read_paired_tests(folder / "paired_tests.jsonl")
            ],
            (RecordError,),
            structured=structures.json_lines("paired_tests.jsonl"),
            warnings=TORN,
            guided="paired_tests.jsonl",
        ),
        Target(
            "papers",
            lambda: {"hyperqa/paper.toml": _PAPER},
            load_papers,
            (RecordError,),
            structured=structures.toml_file("hyperqa/paper.toml"),
            guided="hyperqa/paper.toml",
        ),
        Target(
            "deviations",
            lambda: {"records/common_deviations.toml": _DEVIATIONS},
            load_deviations,
            (RecordError,),
            inputs=6_000,
            structured=structures.toml_file("records/common_deviations.toml"),
            guided="records/common_deviations.toml",
        ),
    ]


_PAPER = b"""
name = "HyperQA"
model = "hyperqa"
title = "T"
authors = "A"
venue = "V"
link = "L"
hardware = "H"
order = 1
selection = "S"
commands = ["python"]
findings = ["one", "two"]
[models]
hyperqa = "HyperQA"
[[tables]]
number = "Table 1"
caption = "C"
counts = ["wikiqa"]
[[tables]]
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
[[tables]]
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
[[tables]]
number = "Table 5"
caption = "C"
columns = ["Model", "MAP"]
rows = [["M", "0.5"]]
[[figures]]
number = "Figure 3"
caption = "C"
description = "D"
command = "python"
drawing = { metric = "MAP" }
[[paired_tests]]
first = "hyperqa"
second = "cosine-qa"
varied = ["conversion"]
"""
_DEVIATIONS = b"""
[[deviations]]
where = "Eq. 1"
printed = "a"
default = \"\"\"
b
c\"\"\"
arguments = ["--option"]
tests = ["tests/test_a.py::test_b", "tests/test_a.py::test_c"]
[[deviations]]
where = "Eq. 2"
printed = "d"
default = "e"
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
