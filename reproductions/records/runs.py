"""The record of measured runs: one JSON object per line, only appended to."""

import json
import os
import warnings
from pathlib import Path
from typing import Any

from keras_qa.files.checks import kind_name
from keras_qa.files.checks import misfit
from keras_qa.files.locks import locked
from keras_qa.files.locks import read_locked
from keras_qa.files.text_files import shorten

REQUIRED = ("paper", "model", "dataset", "split", "seed", "recipe", "metrics")

_KINDS = {
    **dict.fromkeys(REQUIRED, str),
    "seed": int,
    "metrics": dict[str, float],
    # What pages are made of, if it is there.
    "row": str | None,
    "vectors": list[str] | None,
    "settings": dict[str, Any],
    "overrides": dict[str, Any],
    "training_set": str | None,
    "training": dict[str, Any],
    "selection": dict[str, float],
    "parts": dict[str, dict[str, float]],
    "parameters": int | None,
    "seconds_per_epoch": float | None,
    "versions": dict[str, Any],
}


class RunsError(ValueError):
    """A record is incomplete, or a line of the file is not a record."""


def append_run(path: Path | str, record: dict[str, Any]) -> None:
    """Appends one run to the file, whole or not at all.

    Several processes may append at once: each holds a lock on the file while
    it writes, and the line has reached the disk when the function returns. A
    broken last line, left by a crash in the middle of an earlier append, is
    removed with a warning.

    Args:
        path: the file, made if it does not exist.
        record: what `metrics.json` of a run holds: at least `paper`, `model`,
            `dataset`, `split`, `seed`, `recipe` and `metrics`.

    Raises:
        RunsError: if the record lacks a field or is not JSON (NaN is not).
    """
    try:
        text = json.dumps(record, allow_nan=False, ensure_ascii=False)
        # Surrogates are no UTF-8.
        line = f"{text}\n".encode()
    except (TypeError, ValueError) as error:
        raise RunsError(
            f"`record` must hold only JSON values, without NaN or infinity "
            f"({error}). Received: {record!r}"
        ) from error
    _check(record, "`record`")
    path = Path(path)
    with locked(path) as descriptor:
        _repair_last_line(path, descriptor)
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

    A last line without its end is a run that crashed while it was written: it
    is left out with a warning. No file means no runs.

    Raises:
        RunsError: if any other line is not a record; the message names the
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
        except RunsError as error:
            warnings.warn(f"Torn last line left out. {error}", stacklevel=2)
    return runs


def read_metrics(folder: Path, *needed: str) -> dict[str, Any]:
    """Reads the `metrics.json` of a finished run: one record.

    Args:
        folder: the run's folder.
        needed: fields that the record must have beside those of all.

    Raises:
        FileNotFoundError: if the folder holds no finished run.
        RunsError: if the file is not a record; the message names it.
    """
    path = folder / "metrics.json"
    record = _parse(path.read_bytes(), str(path))
    _require(record, needed, str(path))
    return record


def _parse(line: bytes, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    # The second is of JSON that is nested too deep.
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        shown = line.decode("utf-8", "replace")[:80]
        raise RunsError(f"{place}: expected a JSON object. Received: {shown!r}")
    _check(record, place)
    return record


def _check(record: dict[str, Any], place: str) -> None:
    _require(record, REQUIRED, place)
    if name := misfit(record, _KINDS):
        raise RunsError(
            f"{place}: `{name}` must be of type {kind_name(_KINDS[name])}. "
            f"Received: {name}={shorten(record[name])}"
        )


def _require(
    record: dict[str, Any], names: tuple[str, ...], place: str
) -> None:
    missing = [name for name in names if name not in record]
    if missing:
        raise RunsError(
            f"{place}: a run must have {', '.join(names)}. "
            f"Received: no {', '.join(missing)}"
        )


def _repair_last_line(path: Path, descriptor: int) -> None:
    content = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    end = content.rfind(b"\n") + 1
    if end == len(content):
        return
    number = content.count(b"\n") + 1
    try:
        _parse(content[end:], f"{path}:{number}")
    except RunsError as error:
        warnings.warn(f"Torn last line removed. {error}", stacklevel=3)
        os.ftruncate(descriptor, end)
    else:
        _write_all(descriptor, b"\n")


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
