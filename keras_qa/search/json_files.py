"""The JSON files of an index."""

import json
from pathlib import Path
from typing import Any

from keras_qa.errors import SearchError
from keras_qa.files import checks
from keras_qa.files.whole import write_whole


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Writes a JSON file, whole or not at all."""
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    write_whole(path, lambda scratch: scratch.write_text(text, "utf-8"))


def read_json(path: Path, kind: Any = dict[str, Any]) -> Any:
    """Reads a JSON file of an index.

    Args:
        path: the file.
        kind: its type, as for `keras_qa.files.checks.read_json`.

    Raises:
        SearchError: if the file is missing, or of another type.
    """
    expected = "the folder of a finished index, made by `keras-qa index`"
    return checks.read_json(path, kind, SearchError, expected)
