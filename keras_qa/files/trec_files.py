"""The files of trec_eval: a run file of a ranking, a qrels file of labels."""

import math
import re
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path

import ir_measures

from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import read_lines

# trec_eval allocates a table of all levels up to the highest.
_LABEL = re.compile(r"-?[0-9]{1,3}")


def read_ranking(path: Path) -> list[ir_measures.ScoredDoc]:
    """Reads a run file, `question Q0 candidate rank score tag` in each line.

    Raises:
        DatasetError: if the file cannot be read, or a line is malformed.
    """
    found = []
    for number, line, parts in _rows(path):
        score = _score(parts[4]) if len(parts) == 6 else math.nan
        if math.isnan(score):
            expected = "question, Q0, candidate, rank, score and tag"
            raise error_at(path, number, expected, line)
        found.append(ir_measures.ScoredDoc(parts[0], parts[2], score))
    return found


def read_labels(path: Path) -> list[ir_measures.Qrel]:
    """Reads a qrels file, `question 0 candidate label` in each line.

    Raises:
        DatasetError: if the file cannot be read, or a line is malformed.
    """
    found = []
    for number, line, parts in _rows(path):
        if len(parts) != 4 or not _LABEL.fullmatch(parts[3]):
            expected = "question, 0, candidate and a label of 1 to 3 digits"
            raise error_at(path, number, expected, line)
        found.append(ir_measures.Qrel(parts[0], parts[2], int(parts[3])))
    return found


def write_ranking(
    path: Path, ranking: Sequence[ir_measures.ScoredDoc], tag: str
) -> None:
    """Writes a run file.

    Args:
        path: the file.
        ranking: the candidates, those of a question together, best first.
        tag: name of the ranker.
    """
    lines, rank, previous = [], 0, None
    for doc in ranking:
        rank = rank + 1 if doc.query_id == previous else 1
        previous = doc.query_id
        lines.append(
            f"{doc.query_id} Q0 {doc.doc_id} {rank} {float(doc.score)!r} "
            f"{tag}\n"
        )
    path.write_text("".join(lines), "utf-8")


def write_labels(path: Path, labels: Sequence[ir_measures.Qrel]) -> None:
    """Writes a qrels file."""
    path.write_text(
        "".join(f"{q.query_id} 0 {q.doc_id} {q.relevance}\n" for q in labels),
        "utf-8",
    )


def _rows(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    for number, line in read_lines(path):
        if line.strip():
            yield number, line, line.split()


def _score(text: str) -> float:
    """The score; NaN if it is not a finite number."""
    try:
        score = float(text)
    except ValueError:
        return math.nan
    return score if math.isfinite(score) else math.nan
