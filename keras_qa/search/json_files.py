"""The JSON files of an index."""

import json
from pathlib import Path
from typing import Any

from keras_qa.errors import SearchError
from keras_qa.files.text_files import shorten
from keras_qa.files.whole import write_whole


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Writes a JSON file, whole or not at all."""
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    write_whole(path, lambda scratch: scratch.write_text(text, "utf-8"))


def read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON file of an index.

    Raises:
        SearchError: if the file holds no object.
    """
    try:
        content = json.loads(path.read_text("utf-8"))
    # The last is of JSON that is nested too deep.
    except (OSError, ValueError, RecursionError) as error:
        raise SearchError(
            f"{path}: expected the folder of a finished index, made by "
            f"`keras-qa index`. Received: {error}"
        ) from error
    if not isinstance(content, dict):
        raise SearchError(
            f"{path}: expected an object. Received: {shorten(content)}"
        )
    return content
