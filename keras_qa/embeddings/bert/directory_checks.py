"""Checks of the sizes that a BERT's directory states.

keras-hub creates the network of config.json before it reads the weights: a
forged number there could allocate any amount of memory.
"""

import json
from pathlib import Path
from typing import Any

from keras_qa.embeddings.bert.source import CONFIG
from keras_qa.embeddings.bert.source import SUFFIXES
from keras_qa.errors import VectorsError

MAX_JSON_BYTES = 1 << 24
# Index files, which map weights to files.
INDEXES = ("model.safetensors.index.json", "model.weights.json")
# The same five sizes as Hugging Face and as keras-hub name them: layers,
# width, inner width, pieces, positions.
SIZES = (
    *(("num_hidden_layers", "num_layers"), ("hidden_size", "hidden_dim")),
    *(("intermediate_size", "intermediate_dim"),),
    *(("vocab_size", "vocabulary_size"),),
    *(("max_position_embeddings", "max_sequence_length"),),
)


def check_directory(folder: Path) -> None:
    """Checks that a BERT's files are large enough for the stated sizes.

    Args:
        folder: the directory.

    Raises:
        VectorsError: if config.json states no sizes, or more weights than the
            files have bytes; or if an index names files outside of the
            directory.
    """
    config = read_object(folder / CONFIG)
    inner = config.get("config")
    stated = inner if isinstance(inner, dict) else config
    sizes = [_size(folder, stated, names) for names in SIZES]
    layers, width, between, pieces, positions = sizes
    numbers = (pieces + positions) * width
    numbers += layers * width * (4 * width + 2 * between)
    length = sum(
        path.stat().st_size
        for path in folder.iterdir()
        if path.is_file() and path.suffix in SUFFIXES
    )
    # A weight takes at least one byte.
    if numbers > length:
        raise VectorsError(
            f"{folder / CONFIG}: expected a BERT of at most as many weights as "
            f"there are bytes, {length}. Received: {str(numbers)[:30]} weights"
        )
    for name in INDEXES:
        if (folder / name).is_file():
            _check_index(folder / name)


def read_object(path: Path) -> dict[str, Any]:
    """Reads a JSON object.

    Raises:
        VectorsError: if the file contains anything else, or more than
            `MAX_JSON_BYTES` bytes.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_JSON_BYTES + 1)
        found = json.loads(raw) if len(raw) <= MAX_JSON_BYTES else None
    # Too deeply nested JSON raises a RecursionError.
    except (OSError, ValueError, RecursionError) as error:
        raise VectorsError(
            f"{path}: expected a JSON object. Received: {str(error)[:200]!r}"
        ) from error
    if not isinstance(found, dict):
        raise VectorsError(
            f"{path}: expected a JSON object. Received: {raw[:60]!r}"
        )
    return found


def _size(folder: Path, stated: dict[str, Any], names: tuple[str, ...]) -> int:
    found = next((stated[name] for name in names if name in stated), None)
    if type(found) is not int or found < 1:
        raise VectorsError(
            f"{folder / CONFIG}: expected a positive number {names[0]} (or "
            f"{names[1]}). Received: {str(found)[:30]!r}"
        )
    return found


def _check_index(path: Path) -> None:
    """Checks that an index names only files in its folder."""
    weights = read_object(path).get("weight_map")
    if not isinstance(weights, dict):
        raise VectorsError(
            f"{path}: expected an object `weight_map`. "
            f"Received: {str(weights)[:60]!r}"
        )
    for files in weights.values():
        for name in files if isinstance(files, list) else [files]:
            if not isinstance(name, str) or Path(name).name != name:
                raise VectorsError(
                    f"{path}: expected names of files next to it. "
                    f"Received: {str(name)[:60]!r}"
                )
