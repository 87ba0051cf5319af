"""Reading of JSON lines files, and the error of all records."""

from pathlib import Path
from typing import Any

from keras_qa.errors import KerasQAError
from keras_qa.files.checks import parse_json


class RecordError(KerasQAError, ValueError):
    """A record is malformed; the message names the file and the place in it."""


def read_lines(path: Path | str, kind: Any) -> list[Any]:
    """Reads a file with one JSON object per line; none if it does not exist.

    Args:
        path: the file.
        kind: type of each line, for `keras_qa.files.checks.typed`.

    Raises:
        RecordError: if a line is not of that type.
    """
    path = Path(path)
    if not path.exists():
        return []
    # `str.splitlines` would also split at Unicode separators inside texts.
    return [
        parse_json(line, kind, f"{path}:{number}", RecordError)
        for number, line in enumerate(path.read_bytes().splitlines(), 1)
    ]
