"""Reading of a user's own pairs: CSV, TSV or JSON lines with named columns."""

import csv
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.questions_of_rows import Row
from keras_qa.datasets.questions_of_rows import group_rows
from keras_qa.datasets.questions_of_rows import parse_label
from keras_qa.errors import DatasetError
from keras_qa.files.json_stream import read_records
from keras_qa.files.text_files import MAX_LINE_BYTES
from keras_qa.files.text_files import check_text
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import read_lines

_Record = tuple[int, dict[str, object]]

# The field delimiters by suffix; JSON lines have none.
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".jsonl": None, ".ndjson": None}


@dataclass(frozen=True)
class Columns:
    """The names of the columns (CSV, TSV) or keys (JSON lines).

    Attributes:
        question: column with the question's text.
        answer: column with the candidate's text.
        label: column with the label, 0 or 1; None labels every answer 1.
        question_id: column with the question's id; None identifies questions
            by their text and numbers them.
        answer_id: column with the candidate's id; None uses the position among
            the question's candidates.
    """

    question: str = "question"
    answer: str = "answer"
    label: str | None = "label"
    question_id: str | None = None
    answer_id: str | None = None

    @property
    def names(self) -> list[str]:
        """The columns that a file must have."""
        optional = (self.label, self.question_id, self.answer_id)
        required = [self.question, self.answer]
        return required + [name for name in optional if name is not None]


def read_tabular(
    path: Path,
    columns: Columns | None = None,
    *,
    group: bool = False,
    quoted: bool = True,
) -> Iterator[Question]:
    r"""Streams the questions of a file with one question-answer pair per row.

    The format follows from the name: `.csv`, `.tsv`, `.jsonl` or `.ndjson`,
    each optionally with `.gz`. The encoding is UTF-8, with or without a byte
    order mark. Blank lines are skipped, further columns are ignored.

    Args:
        path: the file.
        columns: names of the columns; None takes the defaults of `Columns`.
        group: True collects the rows of a question from the complete file,
            which is then kept in memory. False requires that they are
            consecutive.
        quoted: True allows fields of a CSV or TSV to be quoted with `"`. False
            reads quotation marks as text.

    Yields:
        The questions, in the order of their first rows.

    Raises:
        DatasetError: if the file or a row is malformed: a column is missing or
            named twice, a row has another number of fields than the header,
            quotes are not closed (the message names the first line of the
            row), or a label is not 0 or 1; see also `group_rows`.
    """
    path = Path(path)
    columns = columns or Columns()
    records = _reader(path, columns, quoted)(path)
    rows = (_row(path, columns, record) for record in records)
    return group_rows(path, _collected(rows) if group else rows)


def open_tabular(
    train: Path | None = None,
    dev: Path | None = None,
    test: Path | None = None,
    *,
    columns: Columns | None = None,
    group: bool = False,
    quoted: bool = True,
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
        if not path.is_file():
            raise DatasetError(f"`{split}` must be a file. Received: {path}")
    splits = {
        split: partial(read_tabular, path, columns, group=group, quoted=quoted)
        for split, path in given.items()
    }
    return Dataset("user", splits, tokenizer)


def table_delimiter(path: Path) -> str | None:
    """The delimiter of a file's fields, by the file's name.

    Args:
        path: the file; `.gz` at the end of its name is ignored.

    Returns:
        `","` or a tab; None for JSON lines.

    Raises:
        DatasetError: if the name has none of the known suffixes.
    """
    suffixes = [s for s in path.suffixes if s != ".gz"]
    suffix = suffixes[-1].lower() if suffixes else ""
    if suffix not in _DELIMITERS:
        raise DatasetError(
            "`path` must end in .csv, .tsv, .jsonl or .ndjson, "
            f"with or without .gz. Received: {path}"
        )
    return _DELIMITERS[suffix]


def _reader(
    path: Path, columns: Columns, quoted: bool
) -> Callable[[Path], Iterator[_Record]]:
    delimiter = table_delimiter(path)
    if delimiter is None:
        return partial(_read_json_lines, columns=columns)
    return partial(
        _read_csv, columns=columns, delimiter=delimiter, quoted=quoted
    )


def _read_csv(
    path: Path, columns: Columns, delimiter: str, quoted: bool
) -> Iterator[_Record]:
    row_lines: list[str] = []

    def lines() -> Iterator[str]:
        length = 0
        for number, line in read_lines(path):
            # `row_lines` is empty where a row begins.
            length = len(line) + (length if row_lines else 0)
            if length > MAX_LINE_BYTES:
                raise error_at(path, number, "a shorter row", row_lines[0])
            row_lines.append(line)
            yield f"{line}\n"

    reader = csv.reader(
        lines(),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        strict=True,
    )
    header: list[str] | None = None
    while True:
        line = reader.line_num + 1
        row_lines.clear()
        try:
            fields = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            raise error_at(
                path,
                line,
                f"proper quotes in the row that begins here ({error})",
                row_lines[0],
            ) from None
        if not fields:
            continue
        if header is None:
            header = fields
            if len(set(header)) < len(header):
                raise error_at(path, line, "distinct column names", header)
            _check_columns(path, line, columns, header)
        elif len(fields) != len(header):
            raise error_at(
                path,
                line,
                f"{len(header)} fields, as in the header",
                f"{len(fields)} fields: {delimiter.join(fields)}",
            )
        else:
            yield line, dict(zip(header, fields, strict=True))
    if header is None:
        raise error_at(path, 1, "a header", "an empty file")


def _read_json_lines(path: Path, columns: Columns) -> Iterator[_Record]:
    for number, record in read_records(path):
        _check_columns(path, number, columns, record)
        yield number, record


def _check_columns(
    path: Path, line: int, columns: Columns, found: Collection[str]
) -> None:
    for name in columns.names:
        if name not in found:
            raise error_at(path, line, f"a column {name!r}", list(found))


def _row(path: Path, columns: Columns, record: _Record) -> Row:
    line, fields = record

    def identifier(name: str | None) -> str | None:
        if name is None:
            return None
        value = fields[name]
        # Ids are often numbers in JSON.
        if isinstance(value, int):
            value = str(value)
        return check_text(path, line, f"`{name}`", value)

    label = 1 if columns.label is None else fields[columns.label]
    # `True` and 1 both read as "1".
    text = str(int(label)) if label in (0, 1) else label
    if not isinstance(text, str):
        raise error_at(path, line, "a label, 0 or 1", label)
    return Row(
        line,
        identifier(columns.question_id),
        check_text(
            path, line, f"`{columns.question}`", fields[columns.question]
        ),
        identifier(columns.answer_id),
        check_text(path, line, f"`{columns.answer}`", fields[columns.answer]),
        parse_label(path, line, text.strip()),
    )


def _collected(rows: Iterator[Row]) -> Iterator[Row]:
    """Groups the rows of each question, in the order of first rows."""
    questions: dict[str, list[Row]] = {}
    for row in rows:
        key = row.question if row.question_id is None else row.question_id
        questions.setdefault(key, []).append(row)
    for group in questions.values():
        yield from group
