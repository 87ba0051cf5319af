"""Answers of a collection, and reading them from a file."""

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.datasets.columns import Columns
from keras_qa.datasets.columns import checked_columns
from keras_qa.datasets.ids import id_text
from keras_qa.datasets.mined import COLUMNS
from keras_qa.datasets.table_records import REMEDIES
from keras_qa.datasets.table_records import TABLES
from keras_qa.datasets.table_records import table_records
from keras_qa.errors import DatasetError
from keras_qa.errors import MissingColumnError
from keras_qa.errors import SearchError
from keras_qa.files.text_files import PACKED
from keras_qa.files.text_files import check_text
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import read_lines

# Endings of tables, of which answers are one column.
_TABLES = ([".csv"], [".jsonl"], [".ndjson"], [".parquet"])
# No answer has such an id: the line has names of columns.
_ID_NAMES = {"id", "answerid", "docid", "documentid", "passageid", "pid"}


class _AnswerColumns(Columns):
    """The columns that are read of a table."""

    @property
    def names(self) -> list[str]:
        return [n for n in (self.answer, self.answer_id) if n is not None]

    def how_to_name(self, name: str) -> str:
        other = "or a file of another form, with a text on each line"
        return f"{super().how_to_name(name)}, {other}"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of a collection.

    Attributes:
        id: its identifier.
        text: its text, as read.
    """

    id: str
    text: str


def read_answers(
    path: str | Path,
    encoding: str | None = "utf-8",
    *,
    columns: Columns | None = None,
    quoted: bool = True,
    delimiter: str | None = None,
) -> Iterator[Answer]:
    """Streams the answers of a file, plain, `.gz` or `.bz2`.

    Each line of a `.tsv` file is an id, a tab and a text. Of a table, which
    is a `.csv`, `.jsonl`, `.ndjson` or `.parquet`, or a `.tsv` with a header,
    the different texts of the column `answer` are read, with the ids of the
    column `answer_id` if the header, or the first of JSON lines, has one. Each
    line of any other file is a text.
    With other names of columns, or a delimiter, the file must be a table.
    Where there are no ids, the id is the line's number, from 1. Lines without
    text are skipped. `check_answers` checks ids for repetitions.

    Args:
        path: the file.
        encoding: see `keras_qa.files.text_files.read_lines`.
        columns: names of the columns of a table, of which `answer` and
            `answer_id` are read.
        quoted: see `keras_qa.datasets.tabular.read_tabular`.
        delimiter: see there.

    Yields:
        The answers in the order of the file.

    Raises:
        DatasetError: if the file cannot be read, `columns` is no `Columns`, a
            table has no column of answers, a line has no tab or no id where
            the others have one, or several tabs, or the first line of another
            file is the header of a table.
        ImportError: if a Parquet file is given without pyarrow.
    """
    named = checked_columns(columns)
    options = _Options(encoding, named, quoted, delimiter)
    return (answer for _, answer in _numbered(Path(path), options))


def check_answers(path: str | Path, **options: Any) -> int:
    """Checks that a file of answers can be read, and that its ids differ.

    Of each answer, 8 bytes are in memory; of each text of a table, a digest
    of 16 bytes, too.

    Args:
        path: the file.
        **options: further arguments of `read_answers`.

    Returns:
        The number of answers.

    Raises:
        DatasetError: see `read_answers`; or if two answers have the same id.
        ImportError: see `read_answers`.
        SearchError: if there are none.
    """
    path = Path(path)
    ids = (hash(answer.id) for answer in read_answers(path, **options))
    hashes = np.fromiter(ids, np.int64)
    if not len(hashes):
        raise SearchError(f"{path}: expected an answer. Received: none")
    hashes.sort()
    repeated = set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
    if not repeated:
        return len(hashes)
    # Different ids may have the same hash.
    lines: dict[str, int] = {}
    columns = checked_columns(options.get("columns"))
    name = columns.answer_id or COLUMNS.answer_id
    options["columns"] = columns
    for line, answer in _numbered(path, _Options(**options)):
        if hash(answer.id) not in repeated:
            continue
        first = lines.setdefault(answer.id, line)
        if first != line:
            raise error_at(
                path,
                line,
                f"an id that no other answer has, but line {first} has it: "
                "change one of the two, remove one of the answers, or leave "
                f"out all ids (the column or key {name}), and the "
                "numbers of the lines are taken",
                answer.id,
            )
    return len(hashes)


@dataclass(frozen=True)
class _Options:
    encoding: str | None = "utf-8"
    columns: Columns = field(default_factory=Columns)
    quoted: bool = True
    delimiter: str | None = None

    @property
    def of_a_table(self) -> bool:
        """True if the options are those of a table, whatever its name."""
        named = self.columns.answer, self.columns.answer_id
        usual = Columns().answer, Columns().answer_id
        return self.delimiter is not None or named != usual


def _numbered(path: Path, options: _Options) -> Iterator[tuple[int, Answer]]:
    """The answers with the numbers of their lines."""
    suffix = [s.lower() for s in path.suffixes if s not in PACKED][-1:]
    if suffix in _TABLES or options.of_a_table:
        yield from _answers_of_table(path, options)
        return
    has_ids = suffix == [".tsv"]
    if suffix and suffix[0] in REMEDIES:
        raise DatasetError(
            f"`path` must end in {TABLES}, or be a text with an answer on each "
            f"line{REMEDIES[suffix[0]]}. Received: {path}"
        )
    first = True
    for number, line in read_lines(path, options.encoding):
        if not line.strip():
            continue
        # In a text without columns, the word alone is an answer.
        if first and (has_ids or "\t" in line) and _is_header(line, options):
            if not has_ids:
                raise error_at(
                    path,
                    number,
                    "a text on each line, or the names of columns in a file "
                    "whose name ends in .tsv",
                    line,
                )
            yield from _answers_of_table(path, options)
            return
        first = False
        if not has_ids:
            yield number, Answer(str(number), line)
            continue
        id, tab, text = line.partition("\t")
        if not tab or not id.strip():
            raise error_at(path, number, "an id, a tab and a text", line)
        if "\t" in text or (number == 1 and _plain(id) in _ID_NAMES):
            raise error_at(
                path,
                number,
                "an id, a tab and a text, or else a first line with the names "
                "of the columns, 'answer' among them, or its name by "
                "`Columns(answer=...)`, --answer-column",
                line,
            )
        if text.strip():
            yield number, Answer(id, text)


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _is_header(line: str, options: _Options) -> bool:
    """True if one of the names between tabs is that of the answers."""
    around = ' "' if options.quoted else " "
    fields = line.casefold().split("\t")
    return "answer" in (field.strip(around) for field in fields)


def _answers_of_table(
    path: Path, options: _Options
) -> Iterator[tuple[int, Answer]]:
    """Each text once, which often is a candidate of several questions."""
    given = options.columns
    columns = _AnswerColumns(
        question="",
        answer=given.answer,
        label=None,
        answer_id=given.answer_id or COLUMNS.answer_id,
    )
    as_written = options.quoted, options.delimiter, options.encoding
    records = table_records(path, columns, *as_written)
    try:
        first = [*itertools.islice(records, 1)]
    except MissingColumnError:
        if given.answer_id is not None:
            raise
        columns, first = replace(columns, answer_id=None), []
        records = table_records(path, columns, *as_written)
    read: set[bytes] = set()
    for line, record in itertools.chain(first, records):
        text = record[columns.answer]
        text = check_text(path, line, f"`{columns.answer}`", text)
        digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
        if not text.strip() or digest in read:
            continue
        read.add(digest)
        id = str(line)
        if columns.answer_id is not None:
            name = columns.answer_id
            id = id_text(path, line, f"`{name}`", record[name])
            if not id.strip():
                raise error_at(path, line, f"an id in `{name}`", id)
        elif COLUMNS.answer_id in record:
            raise error_at(
                path,
                line,
                f"no `{COLUMNS.answer_id}`, which the first line does not have",
                record[COLUMNS.answer_id],
            )
        yield line, Answer(id, text)
