"""The files of records, JSON objects in lines, and the error of all of them."""

import json
import os
import warnings
from collections.abc import Callable
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from keras_qa.errors import KerasQAError
from keras_qa.files.checks import parse_json
from keras_qa.files.checks import typed
from keras_qa.files.locks import locked
from keras_qa.files.locks import read_locked
from keras_qa.files.whole import write_text


class RecordError(KerasQAError, ValueError):
    """A record is malformed; the message names the file and the place in it."""


def read_lines(path: Path | str, kind: Any) -> list[Any]:
    """Reads a file with one JSON object per line; none if it does not exist.

    A last line that has no line end and is not a record was left by a crash: it
    is skipped with a warning.

    Args:
        path: the file.
        kind: type of each line, for `keras_qa.files.checks.typed`.

    Raises:
        RecordError: if any other line is not of that type; the message names
            the file and the line.
    """
    try:
        content = read_locked(path)
    except FileNotFoundError:
        return []
    return _records(path, content, kind)


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


def write_records(
    path: Path | str,
    kind: type,
    records: Iterable[Any],
    keep: Callable[[Any], bool] = lambda record: True,
) -> None:
    """Adds records to a file; they replace those with the same `identity`.

    Several processes may call this at once: each waits for a lock on the file.

    Args:
        path: the file, created if it does not exist, and replaced atomically.
        kind: the dataclass of its lines.
        records: the new ones.
        keep: says of an earlier one whether it stays.

    Raises:
        RecordError: if a line of the file is not of that kind.
    """
    with locked(path):
        content = Path(path).read_bytes()
        earlier = filter(keep, _records(path, content, kind))
        every = {record.identity: record for record in earlier}
        every |= {record.identity: record for record in records}
        lines = [
            json.dumps(asdict(record), allow_nan=False, ensure_ascii=False)
            + "\n"
            for record in every.values()
        ]
        write_text(path, "".join(lines))


def _records(path: Path | str, content: bytes, kind: Any) -> list[Any]:
    """The records of a file's content; see `read_lines`."""
    # `bytes.splitlines` would not tell whether the last line has an end.
    *lines, rest = content.split(b"\n")
    records = [
        parse_json(line, kind, f"{path}:{number}", RecordError)
        for number, line in enumerate(lines, start=1)
    ]
    if rest:
        place = f"{path}:{len(lines) + 1}"
        try:
            records.append(parse_json(rest, kind, place, RecordError))
        except RecordError as error:
            warnings.warn(f"Torn last line left out. {error}", stacklevel=3)
    return records


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
