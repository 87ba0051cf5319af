"""Grouping of rows, one per question-answer pair, into questions."""

from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.files.text_files import check_text
from keras_qa.files.text_files import error_at


@dataclass(frozen=True, slots=True)
class Row:
    """One pair of a question and a candidate answer.

    Attributes:
        line: the line where the row begins, counted from 1.
        question_id: the question's id; None identifies questions by their
            text and numbers them from 1.
        question: the question's text.
        answer_id: the candidate's id; None uses the candidate's position.
        answer: the candidate's text.
        label: 0 for a wrong answer, 1 or a higher grade for a correct one.
    """

    line: int
    question_id: str | None
    question: str
    answer_id: str | None
    answer: str
    label: int

    @property
    def key(self) -> str:
        """What rows of one question have in common."""
        return self.question if self.question_id is None else self.question_id


def position_id(position: int) -> str:
    """The id of a candidate without one: its position from 0, in 4 digits.

    Sorted ids are then in the order of the file, up to 10,000 candidates.
    """
    return f"{position:04d}"


def parse_label(path: Path, line: int, text: str) -> int:
    """Converts a label, `"0"` or `"1"`, to a number.

    Raises:
        DatasetError: if `text` is anything else.
    """
    if text not in ("0", "1"):
        raise error_at(path, line, "a label, 0 or 1", text)
    return int(text)


def check_id(path: Path, line: int, text: str) -> str:
    """Returns an id unchanged, if a TREC run can contain it.

    Raises:
        DatasetError: if the id is empty or contains white space.
    """
    if text.split() != [text]:
        raise error_at(path, line, "an id without white space", text)
    return text


def group_rows(
    path: Path,
    rows: Iterable[Row],
    text_path: Path | None = None,
    remedy: str = "",
) -> Iterator[Question]:
    """Groups consecutive rows of one question.

    Only the current question and the ids of earlier ones are in memory.

    Args:
        path: the file with the ids, for error messages.
        rows: the rows in order; those of one question must be consecutive.
        text_path: the file with the question's text, if not `path`.
        remedy: what the message adds where rows are not consecutive.

    Yields:
        The questions in the order of the file.

    Raises:
        DatasetError: if an id is bad, or the rows of a question are not
            consecutive, differ in its text, or repeat a candidate's id.
    """
    key = None
    first: Row | None = None
    candidates: dict[str, Candidate] = {}
    seen: set[str] = set()
    for row in rows:
        if first is None or key != row.key:
            if first is not None:
                yield _question(first, len(seen), candidates)
            first, key, candidates = row, row.key, {}
            if key in seen:
                raise error_at(
                    path,
                    row.line,
                    "the rows of a question to be neighbours, but this one "
                    f"was complete before{remedy}",
                    key,
                )
            seen.add(key)
            if row.question_id is not None:
                check_id(path, row.line, row.question_id)
            check_text(path, row.line, "the question", row.question)
        elif row.question != first.question:
            raise error_at(
                text_path or path,
                row.line,
                f"the text of question {key!r} as in line {first.line}",
                row.question,
            )
        candidate = _candidate(path, row, len(candidates))
        if candidate.id in candidates:
            raise error_at(
                path,
                row.line,
                f"an id that no other answer of question {key!r} has",
                candidate.id,
            )
        candidates[candidate.id] = candidate
    if first is not None:
        yield _question(first, len(seen), candidates)


def _candidate(path: Path, row: Row, position: int) -> Candidate:
    check_text(path, row.line, "the answer", row.answer)
    if row.answer_id is None:
        return Candidate(position_id(position), row.answer, row.label)
    identifier = check_id(path, row.line, row.answer_id)
    return Candidate(identifier, row.answer, row.label)


def _question(
    first: Row, number: int, candidates: dict[str, Candidate]
) -> Question:
    identifier = first.question_id or str(number)
    return Question(identifier, first.question, tuple(candidates.values()))
