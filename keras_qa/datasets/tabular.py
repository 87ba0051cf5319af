"""Reading of a user's own questions and answers from tables."""

import re
from collections.abc import Collection
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from keras_qa.datasets.columns import Columns
from keras_qa.datasets.columns import checked_columns
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.ids import id_text
from keras_qa.datasets.questions_of_rows import Row
from keras_qa.datasets.questions_of_rows import group_rows
from keras_qa.datasets.table_records import Record
from keras_qa.datasets.table_records import table_records
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import check_text
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import find_file

__all__ = ["Columns", "open_tabular", "read_tabular"]

_GROUP = ", or `group=True` (--group)"
_WORDS = {"no": 0, "yes": 1}
# JSON's booleans are 0 and 1, also among `right`.
_BOOLEANS = {"false": "0", "true": "1"}
_GRADE = re.compile(r"[0-3]")
# What numbers have behind their point, if they are whole.
_WHOLE = re.compile(r"(?<=\d)\.0*$")


def read_tabular(
    path: Path,
    columns: Columns | None = None,
    *,
    group: bool = False,
    quoted: bool = True,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    right: Collection[str] = (),
    empty: bool = False,
) -> Iterator[Question]:
    r"""Streams the questions of a file with one question-answer pair per row.

    The format follows from the name: `.csv`, `.tsv`, `.jsonl` or `.ndjson`,
    each optionally with `.gz`, or `.parquet`. A file that is not there is
    looked for with `.gz` at its end. A byte order mark and blank lines are
    skipped, further columns are ignored.

    A label is 0 or 1, also written 1.0, true or false, yes or no in any case,
    or a grade from 0 to 3, which the candidate keeps; 0 is wrong, all others
    are right. With `right` it is any text or number.

    Args:
        path: the file.
        columns: names of the columns; None takes the defaults of `Columns`.
        group: True collects the rows of a question from the complete file,
            which is then kept in memory. False requires that they are
            consecutive.
        quoted: True allows fields of a CSV or TSV to be quoted with `"`. False
            reads quotation marks as text.
        delimiter: the character between the fields of a CSV or TSV; None
            takes the one of comma, semicolon and tab with which the header
            has the columns.
        encoding: the encoding, such as `"utf-16"` or `"cp1252"`; not of
            Parquet.
        right: the labels of right answers, such as `["good", "5"]`, in any
            case; all other labels are those of wrong answers.
        empty: True allows a file without rows, such as a header only.

    Yields:
        The questions, in the order of their first rows.

    Raises:
        DatasetError: if `columns` is no `Columns`, `right` is not of labels,
            or there is no column for it, or the file or a row is malformed: a
            column is missing or named twice, a row has another number of
            fields than the header, quotes are not closed (the message names
            the first line of the row), a label is none of the above, the text
            has another encoding, or there are no rows; see also `group_rows`.
            In a Parquet file, rows are counted in place of lines.
        ImportError: if a Parquet file is given without pyarrow.
    """
    path = Path(path)
    path = find_file(path.parent, path.name) or path
    columns = checked_columns(columns)
    records = table_records(path, columns, quoted, delimiter, encoding)
    right = _right_labels(right, columns)
    rows: Iterator[Row] = (
        _row(path, columns, right, record) for record in records
    )
    found = False
    if group:
        rows = _collected(rows)
    for question in group_rows(path, rows, remedy=_GROUP):
        found = True
        yield question
    if not (found or empty):
        raise error_at(path, 1, "at least one row of a question", "no rows")


def open_tabular(
    train: Path | None = None,
    dev: Path | None = None,
    test: Path | None = None,
    *,
    columns: Columns | None = None,
    group: bool = False,
    quoted: bool = True,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    right: Collection[str] = (),
    tokenizer: str = "word",
) -> Dataset:
    """Makes a data set of a user's own files.

    Args:
        train: file of the training questions, if any.
        dev: file of the development questions, if any.
        test: file of the test questions, if any.
        columns: names of the columns; see `Columns`.
        group: see `read_tabular`.
        quoted: see `read_tabular`.
        delimiter: see `read_tabular`.
        encoding: see `read_tabular`.
        right: see `read_tabular`.
        tokenizer: `"word"` for running text, `"whitespace"` for text that is
            tokenised already.

    Returns:
        A data set with a split for each file.

    Raises:
        DatasetError: if no file is given, or a file does not exist.

    Example:
        >>> dataset = open_tabular("train.csv", test="test.jsonl")
        >>> dataset.questions("train")[0].text
    """
    files = {"train": train, "dev": dev, "test": test}
    given = {split: Path(f) for split, f in files.items() if f is not None}
    if not given:
        raise DatasetError(
            "At least one of `train`, `dev` and `test` must be a file. "
            "Received: none"
        )
    for split, path in given.items():
        if find_file(path.parent, path.name) is None:
            raise DatasetError(f"`{split}` must be a file. Received: {path}")
    read = partial(
        read_tabular,
        columns=columns,
        group=group,
        quoted=quoted,
        delimiter=delimiter,
        encoding=encoding,
        right=right,
    )
    splits = {split: partial(read, path) for split, path in given.items()}
    return Dataset("user", splits, tokenizer)


def _row(
    path: Path, columns: Columns, right: Collection[str], record: Record
) -> Row:
    line, fields = record

    def identifier(name: str | None) -> str | None:
        if name is None:
            return None
        return id_text(path, line, f"`{name}`", fields[name])

    label = 1 if columns.label is None else fields[columns.label]
    return Row(
        line,
        identifier(columns.question_id),
        check_text(
            path, line, f"`{columns.question}`", fields[columns.question]
        ),
        identifier(columns.answer_id),
        check_text(path, line, f"`{columns.answer}`", fields[columns.answer]),
        _grade(path, line, label, right),
    )


def _right_labels(right: Collection[str], columns: Columns) -> frozenset[str]:
    if isinstance(right, str) or not all(
        isinstance(label, str) and label.strip() for label in right
    ):
        raise DatasetError(
            "`right` must be labels, such as ['good', '5'], none of them "
            f"empty. Received: right={right!r}"
        )
    if right and columns.label is None:
        raise DatasetError(
            "Expected a column of labels with `right` (--right). Received: "
            "`Columns(label=None)` (--no-labels)"
        )
    return frozenset(map(_plain, right))


def _grade(path: Path, line: int, label: object, right: Collection[str]) -> int:
    text = ""
    # NaN, which differs from itself, is a missing cell.
    if isinstance(label, str | int | float) and label == label:
        text = _plain(label)
    if right and text:
        return int(text in right)
    if text in _WORDS:
        return _WORDS[text]
    if number := _GRADE.fullmatch(text):
        return int(number[0])
    raise error_at(
        path,
        line,
        "a label"
        if right
        else "a label, 0 or 1, true or false, yes or no, or a grade from 0 to "
        "3, or the labels of right answers by `right` (--right)",
        label,
    )


def _plain(label: str | float) -> str:
    """A label as it is compared: 5, 5.0 and "5" are equal, 1 and true, too."""
    text = _WHOLE.sub("", str(label).strip().casefold())
    return _BOOLEANS.get(text, text)


def _collected(rows: Iterator[Row]) -> Iterator[Row]:
    """Groups the rows of each question, in the order of first rows."""
    questions: dict[str, list[Row]] = {}
    for row in rows:
        questions.setdefault(row.key, []).append(row)
    for group in questions.values():
        yield from group
