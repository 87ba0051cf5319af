"""The readers of what the reproduction scripts have written."""

import json
from pathlib import Path

from fuzz import structures
from fuzz.target import Target
from reproductions.comparisons import ComparisonsError
from reproductions.comparisons import read_comparisons
from reproductions.parameters import ParametersError
from reproductions.parameters import read_parameters
from reproductions.runs import RunsError
from reproductions.runs import read_runs

RECORDS = Path(__file__).parents[1] / "reproductions"


def targets() -> list[Target]:
    """The targets, each with the number of its inputs."""
    return [
        Target(
            "runs",
            lambda: {"runs.jsonl": _lines("runs.jsonl")},
            lambda folder: _as_json(read_runs(folder / "runs.jsonl")),
            (RunsError,),
            structured=structures.json_lines("runs.jsonl"),
            # A torn last line is left out with a warning.
            warnings=(UserWarning,),
            guided="runs.jsonl",
        ),
        Target(
            "comparisons",
            lambda: {"comparisons.jsonl": _lines("comparisons.jsonl")},
            lambda folder: [
                c.identity
                for c in read_comparisons(folder / "comparisons.jsonl")
            ],
            (ComparisonsError,),
            structured=structures.json_lines("comparisons.jsonl"),
            guided="comparisons.jsonl",
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
    ]


def _lines(name: str) -> bytes:
    with (RECORDS / name).open("rb") as file:
        return b"".join(line for line, _ in zip(file, range(3), strict=False))


def _as_json(runs: object) -> None:
    json.dumps(runs)
