"""Reads the rankings and labels that runs write for trec_eval."""

import math
import re
from collections.abc import Iterator
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
