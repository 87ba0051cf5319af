"""Tokenised folders: a.toks, b.toks, id.txt and sim.txt, one line per pair."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from keras_qa.datasets.collection import COLLECTIONS
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import Row
from keras_qa.datasets.questions_of_rows import group_rows
from keras_qa.datasets.questions_of_rows import parse_label
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import find_file
from keras_qa.files.text_files import read_lines

# Question, candidate, question id, label: the order of the fields below.
FILES = ("a.toks", "b.toks", "id.txt", "sim.txt")


def is_toks_folder(folder: Path) -> bool:
    """Returns True if a folder has the four files, plain or `.gz`."""
    return all(find_file(folder, name) for name in FILES)


def read_toks(folder: Path) -> Iterator[Question]:
    """Streams the questions of a tokenised folder.

    The layout is that of TrecQA and WikiQA in castorini/data: line n of four
    files is pair n; `a.toks` has the question and `b.toks` the candidate, as
    tokens separated by single spaces, `id.txt` the question's id and `sim.txt`
    the label. Other files in the folder are ignored.

    Args:
        folder: the folder; each file may be plain or `.gz`.

    Yields:
        The questions; candidates have their position as id.

    Raises:
        DatasetError: if a file is missing or shorter than the others, or a
            line is malformed; see also `group_rows`.
    """
    folder = Path(folder)
    paths = [find_file(folder, name) for name in FILES]
    found = [path for path in paths if path is not None]
    if len(found) < len(FILES):
        raise DatasetError(
            f"{folder}: expected the files {', '.join(FILES)}, plain or .gz. "
            f"Received: {[path.name for path in found]}"
        )
    return group_rows(found[2], _rows(found), text_path=found[0])


def refuse_others(name: str, folder: Path) -> None:
    """Checks that a folder contains no files of another collection.

    WikiQA and TrecQA both have a tokenised folder `train` in the same format.

    Raises:
        DatasetError: if there are files of other collections; the message
            lists them.
    """
    others = sorted(
        path
        for path in {
            path
            for collection in COLLECTIONS.values()
            if collection.folder != COLLECTIONS[name].folder
            for path in collection.own_files
        }
        if is_toks_folder(folder / path) or find_file(folder, path)
    )
    if others:
        raise DatasetError(
            f"{folder}: expected {name!r} in a folder of its own, since the "
            "tokenised folder train/ does not show which data set it is of. "
            f"Received: a folder with {', '.join(others)}, too"
        )


def _rows(paths: list[Path]) -> Iterator[Row]:
    files = zip_longest(*map(read_lines, paths))
    for line, fields in enumerate(files, start=1):
        if None in fields:
            short = paths[fields.index(None)]
            other = next(p for p, f in zip(paths, fields, strict=True) if f)
            raise error_at(
                short, line, f"a line, as in {other.name}", "end of file"
            )
        question, answer, question_id, label = (text for _, text in fields)
        yield Row(
            line,
            question_id,
            question,
            None,
            answer,
            parse_label(paths[3], line, label),
        )
