"""Finding and opening of data sets by name."""

import os
import pkgutil
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import Any

from keras_qa.arguments import check_choice
from keras_qa.arguments import did_you_mean
from keras_qa.datasets import collections
from keras_qa.datasets.collection import COLLECTIONS
from keras_qa.datasets.collection import Collection
from keras_qa.datasets.dataset import Dataset
from keras_qa.errors import DatasetError

for _file in pkgutil.iter_modules(collections.__path__):
    import_module(f"{collections.__name__}.{_file.name}")

_WIDTH = 79  # characters of a line of a command's help

FOLDERS = {name: c.folder for name, c in COLLECTIONS.items()}
"""Name of each data set to the usual name of its folder."""


def default_data_dir() -> Path:
    """`$KERAS_QA_DATA` if it is set, else `.keras_qa` in the home folder."""
    folder = os.environ.get("KERAS_QA_DATA")
    return Path(folder).expanduser() if folder else Path.home() / ".keras_qa"


def collection(name: str) -> Collection:
    """Returns the collection with a name.

    Raises:
        DatasetError: if there is no data set of that name.
    """
    check_choice("name", name, sorted(COLLECTIONS), error=DatasetError)
    return COLLECTIONS[name]


def data_folder(name: str, data_dir: Path | str | None = None) -> Path:
    """The folder of a data set.

    Args:
        name: one of `FOLDERS`.
        data_dir: the folder itself, or its parent if this contains a folder
            of the usual name; None takes `default_data_dir()` as parent.

    Returns:
        The folder, which need not exist.

    Raises:
        DatasetError: if there is no data set of that name.
    """
    usual = collection(name).folder
    if data_dir is None:
        return default_data_dir() / usual
    inside = Path(data_dir) / usual
    return inside if inside.is_dir() else Path(data_dir)


def open_dataset(
    name: str, data_dir: Path | str | None = None, **options: Any
) -> Dataset:
    """Opens a data set by name; its splits are read on first use.

    The data set has only the splits whose files exist. `keras-qa data audit
    --help` lists all data sets and their options; the modules of
    `keras_qa.datasets.collections` document them.

    Args:
        name: the data set's name, such as `"wikiqa"`.
        data_dir: see `data_folder`. Ignored for `"sample"`, whose files are
            in the package.
        **options: options of this data set, such as
            `open_dataset("wikiqa", prefer_original=True)`.

    Raises:
        DatasetError: if the data set or the option does not exist, or all
            files are missing; the message then lists their names.
        ValueError: if the value of an option is not allowed.
    """
    folder = data_folder(name, data_dir)
    known = collection(name).options
    for option, value in options.items():
        if option not in known:
            raise DatasetError(
                f"Options of the data set {name!r} must be among "
                f"{list(known)}.{did_you_mean(option, known)} "
                f"Received: {option}={value!r}"
            )
    return collection(name).open(name, folder, **options)


def describe_collections() -> str:
    """The list of all data sets and their options, for a command's help."""
    lines = ["data sets, and the options of `keras_qa.open_dataset` for each:"]
    for name, known in COLLECTIONS.items():
        lines += wrap(
            f"{name}: {known.about}",
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
        )
        for option, chooses in known.options.items():
            lines += wrap(
                f"{option}: {chooses}",
                _WIDTH,
                initial_indent="      ",
                subsequent_indent="        ",
            )
    return "\n".join(lines)
