"""What a run was trained on, and if a folder has just that run."""

import hashlib
from collections.abc import Iterable
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa import hosts
from keras_qa.datasets.columns import Columns
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.tabular import read_tabular
from keras_qa.errors import DatasetError
from keras_qa.errors import RunFolderError
from keras_qa.files.whole import file_digest
from keras_qa.own_data.questions import Source
from keras_qa.own_data.questions import find_table
from keras_qa.text.normal_forms import words_of
from keras_qa.training.run_folder import SETTINGS
from keras_qa.training.run_folder import RunFolder
from keras_qa.training.run_folder import read_json

QUESTIONS = "questions.npy"
"""The file of the digests of the questions that a run was trained on."""

# What the digests in a run's settings are of.
_INPUTS = {
    "train": "the training file or an option of its table",
    "dev": "the dev file or an option of its table",
    "vectors": "a file of vectors",
    "bert": "the BERT",
}


def fingerprint(source: Source, table: Mapping[str, Any] | None) -> str:
    """A digest of the content of a file, or of questions.

    Args:
        source: the file, or questions.
        table: the arguments of `read_tabular`.

    Raises:
        DatasetError: if `source` is neither.
    """
    if isinstance(source, Path | str):
        found = f"{file_digest(find_table(source))} {_chosen(table or {})}"
    elif isinstance(source, Iterable):
        found = repr(list(source))
    else:
        raise DatasetError(
            f"expected a file or questions. Received: {type(source).__name__}"
        )
    return hashlib.blake2b(found.encode(), digest_size=8).hexdigest()


def _chosen(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The arguments that are not the defaults, in one form, sorted."""
    arguments = signature(read_tabular).parameters.items()
    usual = {name: argument.default for name, argument in arguments}
    usual |= {"columns": Columns(), "right": []}
    given = {name: value for name, value in table.items() if value is not None}
    if "right" in given:
        given["right"] = sorted(set(given["right"]), key=str)
    return sorted((n, v) for n, v in given.items() if v != usual.get(n))


def digests(questions: Iterable[Question]) -> np.ndarray:
    """Digests of the distinct texts of questions, uint64, sorted.

    Texts that differ in case, punctuation or white space are equal.

    Args:
        questions: the questions.
    """
    return np.array(sorted(set(map(_digest, questions))), np.uint64)


def _digest(question: Question) -> int:
    words = words_of(question.text).encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8).digest())


def run_of(folder: Path) -> Path:
    """The run that a ranker's folder is in, such as `RUN/onnx`, or is.

    Args:
        folder: the folder of a run or of a ranker; any other is returned.
    """
    if (folder / QUESTIONS).is_file():
        return folder
    around = folder.resolve().parent
    return around if (around / QUESTIONS).is_file() else folder


def count_trained_on(folder: Path, questions: Iterable[Question]) -> int:
    """The number of questions that a run was trained on.

    Args:
        folder: the run's folder, or any other.
        questions: the questions.
    """
    try:
        known = set(np.load(folder / QUESTIONS, allow_pickle=False).tolist())
    except (OSError, ValueError, EOFError):
        return 0
    return sum(_digest(question) in known for question in questions)


def folder_of(path: Path, identity: Mapping[str, Any]) -> RunFolder:
    """The folder of a run, if it is new or of the same run.

    Args:
        path: the folder.
        identity: what the run's results follow from, JSON values by name.

    Raises:
        RunFolderError: if the folder has anything else.
    """
    if (
        hosts.is_first()
        and path.exists()
        and not (
            (path / SETTINGS).is_file()
            or (path.is_dir() and not any(path.iterdir()))
        )
    ):
        raise RunFolderError(
            "`output` must be a new folder, or that of the same training to "
            f"be resumed. Received: {path}, which holds something else"
        )
    try:
        return RunFolder(path, identity, resume=True)
    except RunFolderError as error:
        raise RunFolderError(
            f"{error}{_changed(path, identity)}. `output` must be a new "
            "folder, or that of the same training to be resumed"
        ) from error


def _changed(path: Path, identity: Mapping[str, Any]) -> str:
    """Says which inputs are not those of a run, which has their digests."""
    try:
        noted = read_json(path / SETTINGS)["inputs"]
        found = identity["inputs"]
        differs = [
            said
            for name, said in _INPUTS.items()
            if noted.get(name) != found.get(name)
        ]
    except (RunFolderError, KeyError, TypeError):
        return ""
    return f". What has changed: {', '.join(differs)}" if differs else ""
