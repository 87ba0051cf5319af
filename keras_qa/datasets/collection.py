"""Published collections by name, and the opening of their data sets.

Each module of `keras_qa/datasets/collections` registers the data sets that can
be made of its files. To add a data set, add a module there and an entry in
`downloads.json`.
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
from keras_qa.files.text_files import find_file

SPLITS = ("train", "dev", "test")
"""The usual names of splits."""

FOLDS_FILE = "train-folds.tsv"

Stream = Callable[[], Iterator[Question]]


@dataclass(frozen=True)
class Collection:
    """A named data set.

    Attributes:
        name: the data set's name.
        folder: usual name of its folder.
        about: one sentence about its questions, for lists of data sets.
        open: opens the data set: `open(name, folder, **options)`.
        options: descriptions of the keyword arguments of `open`, by name.
        own_files: paths in its folder, of files and of folders, by which the
            collection is told from others.
        retrieval: True if candidates are found among many documents, and may
            all be wrong, so that recall is also measured.
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
    """Adds collections to `COLLECTIONS`."""
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
    """Makes a data set of the files that were found in a folder.

    Args:
        name: the data set's name.
        folder: the folder, in which a file `train-folds.tsv`, plain or `.gz`,
            may divide the training questions.
        splits: a function that streams the questions, for each split found.
        looked_for: the names of the files that were searched for.
        tokenizer: the tokeniser for the texts.
        has_folds: False ignores `train-folds.tsv`, which is of other questions.
        **more: other arguments of `Dataset`.

    Raises:
        DatasetError: if there are no splits; the message lists `looked_for`.
    """
    if not splits:
        raise DatasetError(
            f"{folder}: expected files of the data set {name!r}, plain or "
            f".gz: {', '.join(looked_for)}. Try `keras-qa data fetch {name}`. "
            f"Received: {listing(folder)}"
        )
    return Dataset(
        name,
        splits,
        tokenizer,
        find_file(folder, FOLDS_FILE) if has_folds else None,
        **more,
    )


def listing(folder: Path) -> str:
    """The first names in a folder, for error messages."""
    if not folder.is_dir():
        return "no such folder"
    names = sorted(path.name for path in folder.iterdir())
    shown = ", ".join(names[:8]) + ", ..." * (len(names) > 8)
    return shown or "an empty folder"
