"""Reading of the rows of a table: CSV, TSV, JSON lines or Parquet."""

import csv
import re
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Literal

from keras_qa.datasets.columns import Columns
from keras_qa.errors import DatasetError
from keras_qa.errors import MissingColumnError
from keras_qa.files.json_stream import read_records
from keras_qa.files.text_files import AS_CSV
from keras_qa.files.text_files import MAX_LINE_BYTES
from keras_qa.files.text_files import PACKED
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import read_lines
from keras_qa.files.text_files import shorten

Record = tuple[int, dict[str, object]]

TABLES = ".csv, .tsv, .jsonl or .ndjson, with or without .gz, or in .parquet"
"""The endings of the names of tables, in words."""

PARQUET_ROWS = 1024
"""Of a Parquet file, how many rows are in memory."""

# The field delimiters by suffix; JSON lines have none.
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".jsonl": None, ".ndjson": None}
# What to do with files that have other suffixes.
REMEDIES = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), f"; {AS_CSV}"),
    ".json": "; write one JSON object per line as .jsonl",
}
_DELIMITER = ", or another `delimiter` (--delimiter)"
# The line before a header that tells Excel the delimiter.
_EXCEL = re.compile(r"sep=.\s*", re.IGNORECASE)
# Those that a header is tried with.
_SNIFFED = (",", ";", "\t")


def table_delimiter(path: Path) -> str | None:
    """The delimiter of a file's fields, by the file's name.

    Args:
        path: the file; `.gz` and `.bz2` at the end of its name are ignored.

    Returns:
        `","` or a tab; None for JSON lines.

    Raises:
        DatasetError: if the name has none of these suffixes.
    """
    suffixes = [s for s in path.suffixes if s not in PACKED]
    suffix = suffixes[-1].lower() if suffixes else ""
    if suffix not in _DELIMITERS:
        remedy = REMEDIES.get(suffix, "")
        raise DatasetError(
            f"`path` must end in {TABLES}{remedy}. Received: {path}"
        )
    return _DELIMITERS[suffix]


def is_parquet(path: Path) -> bool:
    """Returns True for the name of a Parquet file."""
    return path.suffix.lower() == ".parquet"


def check_pyarrow(path: Path) -> None:
    """Checks that pyarrow is installed.

    Args:
        path: the file that needs it, for the message.

    Raises:
        ImportError: if it is not.
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"{path}: Parquet needs pyarrow: pip install 'keras-qa[parquet]'"
        ) from error


def table_records(
    path: Path,
    columns: Columns,
    quoted: bool = True,
    delimiter: str | None = None,
    encoding: str | None = "utf-8",
) -> Iterator[Record]:
    """Streams the rows of a table.

    Args:
        path: the file.
        columns: names of the columns.
        quoted: see `keras_qa.datasets.tabular.read_tabular`.
        delimiter: see there.
        encoding: see `keras_qa.files.text_files.read_lines`.

    Yields:
        `(line, fields)`: the line where the row begins, or the number of a
        Parquet file's row, from 1, and the fields by the names in `columns`,
        perhaps with others.

    Raises:
        DatasetError: see `keras_qa.datasets.tabular.read_tabular`.
        ImportError: if a Parquet file is given without pyarrow.
    """
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise DatasetError(
            "`delimiter` must be one character, such as ',', ';' or a tab. "
            f"Received: delimiter={shorten(delimiter)}"
        )
    if is_parquet(path):
        yield from _read_parquet(path, columns)
        return
    usual = table_delimiter(path)
    if usual is None:
        names = columns.names
        for number, record in read_records(path, encoding):
            if any(name not in record for name in names):
                places = _places(path, number, columns, record)
                record = {name: record[at] for name, at in places.items()}
            yield number, record
        return
    yield from _read_csv(path, columns, usual, quoted, delimiter, encoding)


def _read_csv(
    path: Path,
    columns: Columns,
    usual: str,
    quoted: bool,
    delimiter: str | None,
    encoding: str | None,
) -> Iterator[Record]:
    numbered = read_lines(path, encoding)
    head = []
    for numbered_line in numbered:
        head.append(numbered_line)
        if numbered_line[1].strip():
            break
    if delimiter is None:
        first = head[-1][1] if head else ""
        delimiter = _sniff(first, columns, usual, quoted)
    rows = _csv_rows(path, chain(head, numbered), delimiter, quoted)
    top = next(rows, None)
    if top is None:
        raise error_at(path, 1, "a header", "an empty file")
    line, text, header = top
    if _EXCEL.fullmatch(text):
        raise error_at(
            path, line, "a header, without Excel's line `sep=` before it", text
        )
    found = _places(
        path,
        line,
        columns,
        header,
        " in the header, which must be the first line",
        _DELIMITER if len(header) == 1 < len(columns.names) else "",
    )
    # By position: columns that nobody reads may have equal names.
    places = {name: header.index(at) for name, at in found.items()}
    for line, _, fields in rows:
        if len(fields) != len(header):
            raise error_at(
                path,
                line,
                f"{len(header)} fields, as in the header",
                f"{len(fields)} fields: {delimiter.join(fields)}",
            )
        yield line, {name: fields[at] for name, at in places.items()}


def _csv_rows(
    path: Path,
    numbered: Iterable[tuple[int, str]],
    delimiter: str,
    quoted: bool,
) -> Iterator[tuple[int, str, list[str]]]:
    """The rows: the line where each begins, its text, and the row's fields."""
    row_lines: list[str] = []

    def lines() -> Iterator[str]:
        length = 0
        for number, line in numbered:
            # `row_lines` is empty where a row begins.
            length = len(line) + (length if row_lines else 0)
            if length > MAX_LINE_BYTES:
                raise error_at(
                    path,
                    number,
                    f"a row of at most {MAX_LINE_BYTES} characters, with its "
                    "quotes closed",
                    row_lines[0] if row_lines else line,
                )
            row_lines.append(line)
            yield f"{line}\n"

    # One setting for all readers of the process, by default 131,072.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_BYTES))
    reader = csv.reader(
        lines(), delimiter=delimiter, quoting=_quoting(quoted), strict=True
    )
    width = 0
    while True:
        line = reader.line_num + 1
        row_lines.clear()
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            expected = _expected_quotes(f" ({error})")
            if "new-line character" in str(error):
                expected = "lines that end in LF or CR LF, not in CR alone"
            raise error_at(path, line, expected, row_lines[0]) from None
        width = width or len(fields)
        if delimiter == "\t" and _are_rows(row_lines, width - 1):
            raise error_at(path, line, _expected_quotes(), row_lines[0])
        # Lines without text are no rows, nor are Excel's of delimiters alone.
        if "".join(fields).strip():
            yield line, row_lines[0], fields


def _are_rows(lines: Sequence[str], tabs: int) -> bool:
    """True if quotation marks of two texts made one row of several.

    Commas and semicolons, which texts have, cannot tell this.
    """
    return len(lines) > 1 and all(line.count("\t") == tabs for line in lines)


def _expected_quotes(error: str = "") -> str:
    return (
        f"proper quotes in the row that begins here{error}, or `quoted=False` "
        "(--no-quotes)"
    )


def _quoting(quoted: bool) -> Literal[0, 3]:
    return csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE


def _sniff(header: str, columns: Columns, usual: str, quoted: bool) -> str:
    """The delimiter that gives a header the most of the columns.

    If several give as many, it is the one that gives the most fields, the
    usual one first.
    """

    def fit(delimiter: str) -> tuple[int, int]:
        reader = csv.reader(
            [header], delimiter=delimiter, quoting=_quoting(quoted)
        )
        try:
            names = next(reader, [])
        except csv.Error:
            return 0, 0
        return sum(map(bool, columns.match(names).values())), len(names)

    return max((usual, *_SNIFFED), key=fit)


def _read_parquet(path: Path, columns: Columns) -> Iterator[Record]:
    check_pyarrow(path)
    import pyarrow
    from pyarrow.parquet import ParquetFile

    number = 0
    try:
        with ParquetFile(path) as file:
            header = file.schema_arrow.names
            places = _places(path, 1, columns, header)
            for rows in file.iter_batches(
                PARQUET_ROWS, columns=[*places.values()]
            ):
                for row in rows.to_pylist():
                    number += 1
                    yield number, {n: row[at] for n, at in places.items()}
    except (OSError, pyarrow.ArrowException) as error:
        raise error_at(
            path, number + 1, "a Parquet file", str(error)
        ) from error


def _places(
    path: Path,
    line: int,
    columns: Columns,
    header: Collection[str],
    where: str = "",
    remedy: str = "",
) -> dict[str, str]:
    """The columns of a file by the names that they were given.

    `where` says where the names are, and `remedy` is what the message adds,
    if one is missing.
    """
    places = {}
    for name, found in columns.match(header).items():
        if not found:
            missing = error_at(
                path,
                line,
                f"a column {name!r}{where}, {columns.how_to_name(name)}"
                f"{remedy}",
                list(header),
            )
            raise MissingColumnError(str(missing), list(header))
        if len(found) > 1:
            raise error_at(
                path,
                line,
                f"one column {name!r}, {columns.how_to_name(name)}",
                found,
            )
        places[name] = found[0]
    return places
