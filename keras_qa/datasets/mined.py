"""Files of questions with mined candidates, which share many answers."""

import csv
import gzip
import io
import json
from collections.abc import Iterable
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.table_records import PARQUET_ROWS
from keras_qa.datasets.table_records import TABLES
from keras_qa.datasets.table_records import check_pyarrow
from keras_qa.datasets.table_records import is_parquet
from keras_qa.datasets.table_records import table_delimiter
from keras_qa.datasets.tabular import Columns
from keras_qa.datasets.tabular import read_tabular
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import unix_line_ends
from keras_qa.files.whole import write_whole

COLUMNS = Columns(question_id="question_id", answer_id="answer_id")
"""The columns of the files, for `read_tabular`."""

_HEADER = ("question_id", "question", "answer_id", "answer", "label")


def check_output(path: Path) -> bool:
    """Checks, before any work, what a name says is to be written.

    Args:
        path: a file for `write_candidates`, or a folder for several.

    Returns:
        True for a file.

    Raises:
        DatasetError: if the name is of a file that cannot be written.
        ImportError: if it is of a Parquet file, and pyarrow is missing.
    """
    if is_parquet(path):
        check_pyarrow(path)
        return True
    try:
        _output_delimiter(path)
    except DatasetError:
        # The end of a folder's name is more often a number: `mined-1.2`.
        if path.suffix[1:2].isalpha() and not path.is_dir():
            raise DatasetError(
                f"The output must end in {TABLES}, or be a folder, whose name "
                f"has no ending. Received: {path}"
            ) from None
        return False
    return True


def write_candidates(path: Path, questions: Iterable[Question]) -> None:
    """Atomically writes one candidate per row, with the columns `COLUMNS`.

    Equal questions make equal files. `read_tabular` and `read_candidates` read
    them. In a CSV or TSV the lines of a text end in LF.

    Args:
        path: file to write; its format follows from its name as in
            `read_tabular`.
        questions: the questions. Those without candidates are not written.

    Raises:
        DatasetError: if the name has none of the known suffixes.
        ImportError: if a Parquet file is asked for without pyarrow.
    """
    path = Path(path)
    delimiter = None if is_parquet(path) else _output_delimiter(path)
    rows = (
        (question.id, question.text, answer.id, answer.text, answer.label)
        for question in questions
        for answer in question.candidates
    )

    def save(scratch: Path) -> None:
        if is_parquet(path):
            _write_parquet(scratch, rows)
            return
        with scratch.open("wb") as raw:
            if path.suffix == ".gz":
                # Without time and file name, equal data give equal files.
                with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                    _write(packed, rows, delimiter)
            else:
                _write(raw, rows, delimiter)

    write_whole(path, save)


def _output_delimiter(path: Path) -> str | None:
    """As `table_delimiter`, of the names that are read and written."""
    if path.suffix == ".bz2":
        raise DatasetError(f"`path` must end in {TABLES}. Received: {path}")
    return table_delimiter(path)


def read_candidates(path: Path) -> Iterator[Question]:
    """Streams the questions of a file that `write_candidates` wrote.

    Equal answers share one string, which saves memory where an answer is a
    candidate of many questions.

    Raises:
        DatasetError: see `read_tabular`.
    """
    texts: dict[str, str] = {}
    for question in read_tabular(path, COLUMNS, empty=True):
        candidates = tuple(
            Candidate(c.id, texts.setdefault(c.text, c.text), c.label)
            for c in question.candidates
        )
        yield Question(question.id, question.text, candidates)


def _write(
    stream: gzip.GzipFile | io.BufferedWriter,
    rows: Iterable[tuple[str, str, str, str, int]],
    delimiter: str | None,
) -> None:
    with io.TextIOWrapper(stream, "utf-8", newline="") as text:
        if delimiter is None:
            for row in rows:
                record = dict(zip(_HEADER, row, strict=True))
                text.write(f"{json.dumps(record, ensure_ascii=False)}\n")
        else:
            writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
            writer.writerow(_HEADER)
            writer.writerows(
                (*map(unix_line_ends, texts), label) for *texts, label in rows
            )


def _write_parquet(
    path: Path, rows: Iterator[tuple[str, str, str, str, int]]
) -> None:
    check_pyarrow(path)
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    types = dict.fromkeys(_HEADER, pyarrow.string())
    types["label"] = pyarrow.int8()
    with ParquetWriter(path, pyarrow.schema(types)) as writer:
        while chosen := list(islice(rows, PARQUET_ROWS)):
            columns = dict(zip(_HEADER, zip(*chosen, strict=True), strict=True))
            writer.write(pyarrow.table(columns, writer.schema))
