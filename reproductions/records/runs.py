"""The record of measured runs: one JSON object per line, only appended to."""

from pathlib import Path
from typing import Any
from typing import NotRequired
from typing import TypedDict

from keras_qa.files.checks import parse_json
from reproductions.records.json_lines import RecordError
from reproductions.records.json_lines import append_line
from reproductions.records.json_lines import read_lines

RUNS = "runs.jsonl"
TEST_RUNS = "test_runs.jsonl"


class Run(TypedDict):
    """The required fields of a record, and optional ones that pages read."""

    paper: str
    model: str
    dataset: str
    split: str
    seed: int
    recipe: str
    metrics: dict[str, float]
    row: NotRequired[str | None]
    vectors: NotRequired[list[str] | None]
    settings: NotRequired[dict[str, Any]]
    overrides: NotRequired[dict[str, Any]]
    training_set: NotRequired[str | None]
    training: NotRequired[dict[str, Any]]
    selection: NotRequired[dict[str, float]]
    parts: NotRequired[dict[str, dict[str, float]]]
    parameters: NotRequired[int | None]
    seconds_per_epoch: NotRequired[float | None]
    seconds: NotRequired[float | None]
    run_sha256: NotRequired[str | None]
    history: NotRequired[dict[str, list[float]]]
    selection_questions: NotRequired[int]
    versions: NotRequired[dict[str, Any]]
    once: NotRequired[bool]


def append_run(path: Path | str, record: dict[str, Any]) -> None:
    """Appends one run to the file, completely or not at all.

    Args:
        path: see `append_line`.
        record: what `metrics.json` of a run contains: at least `paper`,
            `model`, `dataset`, `split`, `seed`, `recipe` and `metrics`.

    Raises:
        RecordError: if the record lacks a field or is not JSON (NaN is not).
    """
    append_line(path, record, Run)


def read_runs(path: Path | str) -> list[dict[str, Any]]:
    """Reads all runs, in the order in which they were appended.

    Raises:
        RecordError: see `read_lines`.
    """
    return read_lines(path, Run)


def read_all_runs(records: Path) -> list[dict[str, Any]]:
    """Reads the runs that the project made, and those on test, made apart.

    Test splits are not where recipes are chosen: `test_runs.jsonl` has runs
    that were made elsewhere, once a seed, by the project's own command at the
    commit that each names.

    Args:
        records: the folder of records.

    Returns:
        The runs of `test_runs.jsonl`, each with `once`, and then the others.

    Raises:
        RecordError: if a line is not a record, or a run of `test_runs.jsonl`
            is of another split than test or names no commit.
    """
    path = records / TEST_RUNS
    found = []
    for number, run in enumerate(read_runs(path), start=1):
        commit = run.get("versions", {}).get("commit")
        if run["split"] != "test" or not commit:
            raise RecordError(
                f"{path}:{number}: expected a run on test that names its "
                f"commit. Received: split={run['split']!r}, commit={commit!r}"
            )
        found.append(run | {"once": True})
    return [*found, *read_runs(records / RUNS)]


def read_metrics(folder: Path, *needed: str) -> dict[str, Any]:
    """Reads the `metrics.json` of a finished run: one record.

    Args:
        folder: the run's folder.
        needed: fields that the record must have in addition to `Run`'s.

    Raises:
        FileNotFoundError: if the folder contains no finished run.
        RecordError: if the file is not a record; the message names it.
    """
    path = folder / "metrics.json"
    record = parse_json(path.read_bytes(), Run, str(path), RecordError)
    missing = [name for name in needed if name not in record]
    if missing:
        raise RecordError(
            f"{path}: expected a run with {', '.join(needed)}. "
            f"Received: no {', '.join(missing)}"
        )
    return record
