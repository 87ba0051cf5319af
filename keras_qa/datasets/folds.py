"""Files that divide the training questions: `question id<TAB>train|dev`."""

from collections.abc import Collection
from pathlib import Path

from keras_qa.errors import DatasetError
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import read_lines
from keras_qa.files.text_files import shorten

_FOLDS = ("train", "dev")


def read_held_out(path: Path, needed: Collection[str]) -> set[str]:
    """Reads the ids of the questions that a folds file assigns to `dev`.

    Args:
        path: the file, plain or `.gz`.
        needed: ids that the file must contain.

    Raises:
        DatasetError: if the file cannot be read, a line is malformed, a
            question is in both folds, or an id is missing.
    """
    folds: dict[str, str] = {}
    for number, line in read_lines(path):
        fields = line.split("\t")
        if len(fields) != 2 or fields[1] not in _FOLDS:
            raise error_at(path, number, "`question id<TAB>train|dev`", line)
        if folds.setdefault(*fields) != fields[1]:
            raise error_at(path, number, "each question in one fold", line)
    missing = [identifier for identifier in needed if identifier not in folds]
    if missing:
        raise DatasetError(
            f"{path}: expected a line for each question. Received: none for "
            f"{shorten(missing[0])} and {len(missing) - 1} others"
        )
    return {identifier for identifier, fold in folds.items() if fold == "dev"}
