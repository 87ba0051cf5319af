"""A metric of each question of runs, from their folders or kept of these."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.errors import KerasQAError
from keras_qa.files.whole import file_digest
from reproductions.records.question_values import QuestionValues
from reproductions.records.seed_groups import Group

METRIC = "MAP"


class SignificanceError(KerasQAError, ValueError):
    """The given runs cannot be compared with each other."""


def question_metric(folder: Path, metric: str) -> dict[str, float]:
    """A metric of each question that a run scored.

    Args:
        folder: a run's folder with `run.trec` and `qrels.trec`.
        metric: one of `reproductions.harness.measures.EVERY`; `"MAP"` is the
            mean of the average precision of questions.

    Returns:
        The metric by question id, for the questions with a correct answer.

    Raises:
        DatasetError: if a file is missing or bad.
    """
    from keras_qa.files.trec_files import read_labels
    from keras_qa.files.trec_files import read_ranking
    from keras_qa.ranking.evaluation import measure_questions
    from reproductions.harness.measures import EVERY

    qrels = read_labels(folder / "qrels.trec")
    run = read_ranking(folder / "run.trec")
    rows = measure_questions(qrels, run, {metric: EVERY[metric]})
    return {question: row[metric] for question, row in rows.items()}


def ranking_checksum(run: dict[str, Any]) -> str:
    """The checksum of a run's ranking, empty if it is unknown.

    Args:
        run: its record, with `folder` if it was found by `find_runs`.
    """
    if "folder" in run:
        return file_digest(Path(run["folder"]) / "run.trec")
    return run.get("run_sha256") or ""


class Known:
    """The values of each question of runs, from their folders or kept ones.

    Args:
        kept: the values that were kept of earlier folders.
    """

    def __init__(
        self, kept: dict[tuple[str, str], QuestionValues] | None = None
    ) -> None:
        self.kept = dict(kept or {})
        self._read: set[tuple[str, str]] = set()

    def has(self, group: Group, metric: str = METRIC) -> bool:
        """Returns True if the values of all of a group's runs are known."""
        return not self.missing(group, metric)

    def missing(self, group: Group, metric: str = METRIC) -> list[int]:
        """The seeds of a group's runs whose values are not known."""
        return [
            run["seed"]
            for run in group.runs
            if "folder" not in run
            and (ranking_checksum(run), metric) not in self.kept
        ]

    def of(self, run: dict[str, Any], metric: str) -> QuestionValues:
        """The values of a run, which are kept from now on.

        Raises:
            DatasetError: if the ranking or labels of a folder are bad.
        """
        name = ranking_checksum(run), metric
        folder = run.get("folder")
        if folder is not None and (folder, metric) not in self._read:
            found = question_metric(Path(folder), metric)
            self.kept[name] = QuestionValues.of(*name, found)
            self._read.add((folder, metric))
        return self.kept[name]

    def values(self, groups: Sequence[Group], metric: str) -> np.ndarray:
        """A metric of each run of groups and question, `(runs, questions)`.

        Raises:
            DatasetError: if the ranking or labels of a folder are bad.
            SignificanceError: if the runs did not score the same questions.
        """
        rows: list[QuestionValues] = []
        for group in groups:
            for run in group.runs:
                rows.append(self.of(run, metric))
                if rows[-1].questions != rows[0].questions:
                    raise SignificanceError(
                        f"{group.model} on {group.dataset} {group.split}: "
                        f"expected scores of the same {len(rows[0].values)} "
                        "questions in all runs. Received: "
                        f"{len(rows[-1].values)} questions, not the same ones"
                    )
        return np.array([row.values for row in rows])
