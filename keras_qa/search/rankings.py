"""Ranked answers, and their text as a table, TSV, JSON lines or a TREC run."""

import json
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keras_qa.datasets.ids import no_blanks
from keras_qa.ranking.ties import best_first
from keras_qa.search.answers import Answer
from keras_qa.text.notes import TextNotes
from keras_qa.text.notes import answer_notes
from keras_qa.text.notes import question_notes
from keras_qa.text.reading import TextReading

FORMATS = ("table", "tsv", "jsonl", "trec")
COLUMNS = (
    *("question_id", "question", "rank", "score", "answer_id", "answer"),
    "notes",
)


@dataclass(frozen=True)
class Ranking:
    """The answers to a question, best first.

    Attributes:
        question_id: the question's identifier.
        question: its text.
        answers: the answers.
        scores: float `(answers,)`, in descending order; NaN is last.
        notes: what stands out in each answer.
        question_notes: what stands out in the question.
    """

    question_id: str
    question: str
    answers: Sequence[Answer]
    scores: np.ndarray
    notes: Sequence[TextNotes]
    question_notes: TextNotes

    @classmethod
    def of_candidates(
        cls,
        question_id: str,
        question: str,
        candidates: Sequence[Answer],
        scores: np.ndarray,
        top: int | None,
        reading: TextReading,
    ) -> "Ranking":
        """Orders candidates by their scores; see `ties.best_first`.

        Args:
            question_id: the question's identifier.
            question: its text.
            candidates: the candidates.
            scores: float `(candidates,)`, higher is better; NaN comes last.
            top: number of answers that are kept; None keeps all.
            reading: how the model reads text, for the notes.
        """
        order = best_first(scores, top)
        answers = [candidates[i] for i in order]
        return cls(
            *(question_id, question, answers, scores[order]),
            notes=answer_notes(reading, question, [a.text for a in answers]),
            question_notes=question_notes(reading, question),
        )


def header(format: str) -> Iterator[str]:
    """Yields the line before all rankings, if the format has one."""
    if format == "tsv":
        yield "\t".join(COLUMNS)


def ranking_lines(
    ranking: Ranking, format: str = "table", tag: str = "keras-qa"
) -> Iterator[str]:
    """A ranking as lines of text.

    Args:
        ranking: the ranking.
        format: one of `FORMATS`. In a table and in TSV, runs of white space
            within a text become a space; in a TREC run, each white-space
            character of an id or the tag becomes `_`.
        tag: name of a TREC run.

    Yields:
        Lines without line ends.
    """
    if format == "table":
        yield _one_line(ranking.question) + _bracketed(ranking.question_notes)
        yield "  rank       score  answer"
    scores = ranking.scores.tolist()
    for rank, (answer, score, notes) in enumerate(
        zip(ranking.answers, scores, ranking.notes, strict=True), start=1
    ):
        if format == "table":
            text = _one_line(answer.text) + _bracketed(notes)
            yield f"  {rank:4}  {score:10.5g}  {text}"
        elif format == "trec":
            question_id, answer_id, name = map(
                no_blanks, (ranking.question_id, answer.id, tag)
            )
            yield f"{question_id} Q0 {answer_id} {rank} {score!r} {name}"
        else:
            values = (
                ranking.question_id,
                ranking.question,
                rank,
                score,
                answer.id,
                answer.text,
                str(notes),
            )
            if format == "jsonl":
                yield json.dumps(
                    dict(zip(COLUMNS, values, strict=True)), ensure_ascii=False
                )
            else:
                yield "\t".join(_one_line(str(value)) for value in values)


def _bracketed(notes: TextNotes) -> str:
    return f"  [{notes}]" if str(notes) else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
