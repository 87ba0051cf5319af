"""The record of measured runs: one JSON object per line, only appended to."""

import json
import os
import warnings
from pathlib import Path
from typing import Any
from typing import NotRequired
from typing import TypedDict

from keras_qa.files.checks import parse_json
from keras_qa.files.checks import typed
from keras_qa.files.locks import locked
from keras_qa.files.locks import read_locked
from reproductions.records.reading import RecordError

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


def append_line(path: Path | str, record: dict[str, Any], kind: Any) -> None:
    """Appends a record to a file of JSON lines, completely or not at all.

    Several processes may append at once: each holds a lock on the file while
    it writes, and the line has reached the disk when the function returns. A
    broken last line, left by a crash in the middle of an earlier append, is
    removed with a warning.

    Args:
        path: the file, created if it does not exist.
        record: the record.
        kind: type of the record, for `keras_qa.files.checks.typed`.

    Raises:
        RecordError: if the record lacks a field or is not JSON (NaN is not).
    """
    try:
        text = json.dumps(record, allow_nan=False, ensure_ascii=False)
        # Lone surrogates cannot be encoded as UTF-8.
        line = f"{text}\n".encode()
    except (TypeError, ValueError) as error:
        raise RecordError(
            f"`record` must hold only JSON values, without NaN or infinity "
            f"({error}). Received: {record!r}"
        ) from error
    typed(record, kind, "`record`", RecordError)
    path = Path(path)
    with locked(path) as descriptor:
        _repair_last_line(path, descriptor, kind)
        size = os.fstat(descriptor).st_size
        try:
            _write_all(descriptor, line)
            os.fsync(descriptor)
        except BaseException as error:
            os.ftruncate(descriptor, size)
            if isinstance(error, OSError) and error.filename is None:
                error.filename = str(path)
            raise


def read_runs(path: Path | str) -> list[dict[str, Any]]:
    """Reads all runs, in the order in which they were appended.

    A last line that has no line end and is not a record was left by a crash: it
    is skipped with a warning. There are no runs if the file does not exist.

    Raises:
        RecordError: if any other line is not a record; the message names the
            file and the line.
    """
    path = Path(path)
    try:
        content = read_locked(path)
    except FileNotFoundError:
        return []
    runs = []
    *lines, rest = content.split(b"\n")
    for number, line in enumerate(lines, start=1):
        runs.append(_parse(line, f"{path}:{number}"))
    if rest:
        place = f"{path}:{len(lines) + 1}"
        try:
            runs.append(_parse(rest, place))
        except RecordError as error:
            warnings.warn(f"Torn last line left out. {error}", stacklevel=2)
    return runs


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
    record = _parse(path.read_bytes(), str(path))
    missing = [name for name in needed if name not in record]
    if missing:
        raise RecordError(
            f"{path}: expected a run with {', '.join(needed)}. "
            f"Received: no {', '.join(missing)}"
        )
    return record


def _parse(line: bytes, place: str) -> dict[str, Any]:
    return parse_json(line, Run, place, RecordError)


def _repair_last_line(path: Path, descriptor: int, kind: Any) -> None:
    content = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    end = content.rfind(b"\n") + 1
    if end == len(content):
        return
    number = content.count(b"\n") + 1
    try:
        parse_json(content[end:], kind, f"{path}:{number}", RecordError)
    except RecordError as error:
        warnings.warn(f"Torn last line removed. {error}", stacklevel=3)
        os.ftruncate(descriptor, end)
    else:
        _write_all(descriptor, b"\n")


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
