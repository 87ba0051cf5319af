"""Files of questions with mined candidates, which share many answers."""

import csv
import gzip
import io
import json
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.tabular import Columns
from keras_qa.datasets.tabular import read_tabular
from keras_qa.datasets.tabular import table_delimiter
from keras_qa.files.whole import write_whole

COLUMNS = Columns(question_id="question_id", answer_id="answer_id")
"""The columns of the files, for `read_tabular`."""

_HEADER = ("question_id", "question", "answer_id", "answer", "label")


def write_candidates(path: Path, questions: Iterable[Question]) -> None:
    """Atomically writes one candidate per row, with the columns `COLUMNS`.

    Equal questions make equal files. `read_tabular` and `read_candidates` read
    them.

    Args:
        path: file to write; its format follows from its name as in
            `read_tabular`.
        questions: the questions. Those without candidates are not written.

    Raises:
        DatasetError: if the name has none of the known suffixes.
    """
    path = Path(path)
    delimiter = table_delimiter(path)
    rows = (
        (question.id, question.text, answer.id, answer.text, answer.label)
        for question in questions
        for answer in question.candidates
    )

    def save(scratch: Path) -> None:
        with scratch.open("wb") as raw:
            if path.suffix == ".gz":
                # Without time and file name, equal data give equal files.
                with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                    _write(packed, rows, delimiter)
            else:
                _write(raw, rows, delimiter)

    write_whole(path, save)


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
            writer.writerows(rows)
