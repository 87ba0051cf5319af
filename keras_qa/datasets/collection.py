"""A published collection: its name, its folder, and how it is opened.

Each file of `keras_qa/datasets/collections` calls `register` at its end, once
for each data set that can be made of its files. A new file there, and an entry
in `downloads.json`, make a new data set.
"""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any

from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.errors import DatasetError

SPLITS = ("train", "dev", "test")
"""The usual names of splits."""

FOLDS_FILE = "train-folds.tsv"

Stream = Callable[[], Iterator[Question]]


@dataclass(frozen=True)
class Collection:
    """A data set that has a name: where it is, and how it is opened.

    Attributes:
        name: the data set's name.
        folder: usual name of its folder.
        about: what its questions are, a line for lists of data sets.
        open: opens it: `open(name, folder, **options)`.
        options: the keyword arguments that `open` takes, each with a sentence
            that says what it chooses; its default is in `open`'s signature.
        own_files: paths in its folder, of files and of folders, that no other
            collection has: they show which one is in a folder.
        retrieval: True if candidates are found among many documents, and may
            all be wrong, so that rankings are measured by recall, too.
    """

    name: str
    folder: str
    about: str
    open: Callable[..., Dataset]
    options: Mapping[str, str] = field(default_factory=dict)
    own_files: tuple[str, ...] = ()
    retrieval: bool = False


COLLECTIONS: dict[str, Collection] = {}
"""The collections by name; `keras_qa.datasets.registry` fills it."""


def register(*collections: Collection) -> None:
    """Makes collections known by their names."""
    for collection in collections:
        COLLECTIONS[collection.name] = collection


def make_dataset(
    name: str,
    folder: Path,
    splits: Mapping[str, Stream],
    looked_for: Iterable[str],
    tokenizer: str = "word",
    *,
    has_folds: bool = True,
    **more: Any,
) -> Dataset:
    """A data set of the files that were found in a folder.

    Args:
        name: the data set's name.
        folder: the folder, in which a file `train-folds.tsv` may divide the
            training questions.
        splits: each split whose files are there, and what streams it.
        looked_for: the names of the files that were looked for.
        tokenizer: the tokeniser that the texts need.
        has_folds: False if such a file is of other questions than these.
        **more: other arguments of `Dataset`.

    Raises:
        DatasetError: if there are no splits; the message lists what was
            looked for.
    """
    if not splits:
        raise DatasetError(
            f"{folder}: expected files of the data set {name!r}, plain or "
            f".gz: {', '.join(looked_for)}. Try `keras-qa data fetch {name}`. "
            f"Received: {listing(folder)}"
        )
    folds = folder / FOLDS_FILE
    return Dataset(
        name,
        splits,
        tokenizer,
        folds if has_folds and folds.is_file() else None,
        **more,
    )


def listing(folder: Path) -> str:
    """The first names in a folder, for a message."""
    if not folder.is_dir():
        return "no such folder"
    names = sorted(path.name for path in folder.iterdir())
    shown = ", ".join(names[:8]) + ", ..." * (len(names) > 8)
    return shown or "an empty folder"
