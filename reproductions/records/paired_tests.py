"""Reads and updates `paired_tests.jsonl`: tested differences of models."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keras_qa.files.locks import locked
from keras_qa.files.whole import write_whole
from reproductions.records.reading import read_lines
from reproductions.records.seed_groups import canonical

PATH = Path(__file__).with_name("paired_tests.jsonl")


@dataclass(frozen=True)
class Condition:
    """Runs that differ in their seed alone.

    Attributes:
        model: the model's name.
        recipe: the recipe.
        vectors: names of the word vectors.
        training_set: what it was trained on.
        overrides: the settings that were changed from the recipe's.
        seeds: the seeds of its runs.
        mean: the metric, mean over seeds.
        deviation: sample standard deviation over seeds, None for one seed.
        row: the row of the paper's table that it is, if it is named after one.
    """

    model: str
    recipe: str
    vectors: list[str]
    training_set: str
    overrides: dict[str, Any]
    seeds: list[int]
    mean: float
    deviation: float | None
    row: str | None = None

    @property
    def name(self) -> str:
        """The row's name if it has one, else the model's."""
        return self.row or self.model

    @property
    def identity(self) -> str:
        """What tells the condition from others, whatever its seeds."""
        return canonical(
            [
                *(self.model, self.row, self.recipe, self.vectors),
                *(self.training_set, self.overrides),
            ]
        )


@dataclass(frozen=True)
class PairedTest:
    """A difference between two conditions on the same questions.

    Attributes:
        paper: the paper's key.
        dataset: name of the data set.
        split: the split that was ranked.
        metric: name of the metric.
        questions: number of questions that were scored.
        first: the one condition.
        second: the other condition.
        difference: mean over questions of the first's metric less the
            second's.
        interval: ends of the difference's bootstrap interval.
        confidence: its confidence.
        p_value: two-sided, of the permutation test.
        resamples: number of resamples of test and interval.
        versions: what it was computed with.
    """

    paper: str
    dataset: str
    split: str
    metric: str
    questions: int
    first: Condition
    second: Condition
    difference: float
    interval: tuple[float, float]
    confidence: float
    p_value: float
    resamples: int
    versions: dict[str, str]

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells the test from others."""
        return (
            *(self.paper, self.dataset, self.split, self.metric),
            *(self.first.identity, self.second.identity),
        )


def read_paired_tests(path: Path | str = PATH) -> list[PairedTest]:
    """Reads all paired tests; no file means none.

    Raises:
        RecordError: if a line is not a paired test.
    """
    return read_lines(path, PairedTest)


def update_paired_tests(path: Path | str, tests: Iterable[PairedTest]) -> None:
    """Writes paired tests in the place of those of the same two conditions.

    Several processes may do so at once: one waits for the other.

    Args:
        path: the file; it is made if it does not exist, and whole or as it
            was, whenever the process ends.
        tests: the new paired tests.
    """
    with locked(path):
        every = {test.identity: test for test in read_paired_tests(path)}
        every |= {test.identity: test for test in tests}
        lines = [
            json.dumps(asdict(test), allow_nan=False, ensure_ascii=False) + "\n"
            for test in every.values()
        ]
        write_whole(path, lambda part: part.write_text("".join(lines), "utf-8"))
