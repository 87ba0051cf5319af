"""A question and one of its candidates from the split that a run ranked."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.ids import no_blanks
from keras_qa.files.trec_files import read_ranking
from reproductions.harness.errors import FigureError
from reproductions.harness.questions import open_for


@dataclass(frozen=True)
class Pair:
    """Two texts, and where they come from.

    Attributes:
        name: the beginning of file names.
        source: where the pair is from and how it was ranked, for readers.
        question: the question's text.
        answer: the answer's text.
    """

    name: str
    source: str
    question: str
    answer: str


def ranked_ids(folder: Path) -> dict[str, list[str]]:
    """The candidates' ids of each question as a run ranks them, best first.

    Args:
        folder: a run's folder with `run.trec`.

    Raises:
        DatasetError: if that file is missing or bad.
    """
    rankings: dict[str, list[str]] = {}
    for scored in read_ranking(folder / "run.trec"):
        # `doc_id` is a number that breaks ties, "-" and the candidate's id.
        _, _, id = scored.doc_id.partition("-")
        rankings.setdefault(scored.query_id, []).append(id)
    return rankings


def first_found(
    questions: Sequence[Question], rankings: Mapping[str, Sequence[str]]
) -> tuple[Question, Candidate]:
    """The first question whose right answer is ranked first, and this answer.

    Args:
        questions: the questions of the run's split.
        rankings: what `ranked_ids` returned.

    Raises:
        FigureError: if there is no such question.
    """
    for question in questions:
        # A smoke test ranks only some of the questions.
        best = rankings.get(no_blanks(question.id), [""])[0]
        for candidate in question.positives:
            if no_blanks(candidate.id) == best:
                return question, candidate
    raise FigureError(
        "expected a question whose right answer is ranked first; name a pair "
        "with --question-id and --candidate-id. Received: none among "
        f"{len(rankings)} questions"
    )


def named(
    questions: Sequence[Question], question_id: str, candidate_id: str
) -> tuple[Question, Candidate]:
    """A question and one of its candidates by their ids.

    Args:
        questions: the questions of the run's split.
        question_id: the question's id.
        candidate_id: the candidate's id.

    Raises:
        FigureError: if there is no such question or candidate.
    """
    found = {question.id: question for question in questions}
    if question_id not in found:
        raise FigureError(
            "`--question-id` must be one of the run's split, such as "
            f"{next(iter(found), None)!r}. Received: {question_id!r}"
        )
    question = found[question_id]
    candidates = {c.id: c for c in question.candidates}
    if candidate_id not in candidates:
        raise FigureError(
            f"`--candidate-id` must be of a candidate of {question_id!r}, such "
            f"as {next(iter(candidates), None)!r}. Received: {candidate_id!r}"
        )
    return question, candidates[candidate_id]


def pair_of_split(
    folder: Path,
    metrics: Mapping[str, Any],
    data_dir: Path | None,
    ids: tuple[str, str] | None = None,
) -> Pair:
    """A pair of the split that a run reported on.

    Args:
        folder: the run's folder.
        metrics: content of its `metrics.json`.
        data_dir: folder of the data set.
        ids: of the question and the candidate; by default those of
            `first_found`.

    Raises:
        DatasetError: if the data set is not there.
        FigureError: if there is no such pair.
    """
    dataset = open_for(metrics["dataset"], data_dir, metrics["settings"])
    questions = dataset.questions(metrics["split"])
    rankings = ranked_ids(folder)
    question, candidate = (
        named(questions, *ids) if ids else first_found(questions, rankings)
    )
    source = (
        f"{metrics['dataset']} {metrics['split']}, question {question.id}, "
        f"{'right' if candidate.label else 'wrong'} candidate {candidate.id}"
    )
    ranking = rankings.get(no_blanks(question.id), [])
    if no_blanks(candidate.id) in ranking:
        rank = 1 + ranking.index(no_blanks(candidate.id))
        source += f", ranked {rank} of {len(ranking)}"
    name = "-".join((metrics["split"], question.id, candidate.id))
    return Pair(name, source, question.text, candidate.text)
