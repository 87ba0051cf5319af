"""Reads and updates `paired_tests.jsonl`: tested differences between models."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproductions.records.json_lines import read_lines
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import canonical

PATH = Path(__file__).with_name("paired_tests.jsonl")


@dataclass(frozen=True)
class Condition:
    """Runs that differ only in their seed.

    Attributes:
        model: the model's name.
        recipe: the recipe.
        vectors: names of the word vectors.
        training_set: name of the training set.
        overrides: the settings that differ from the recipe's, by name.
        seeds: the seeds of its runs.
        mean: mean of the metric over seeds.
        deviation: sample standard deviation over seeds, None for one seed.
        row: name of a row of the paper's tables, if the runs have one.
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
        """A text that is the same for the same condition with other seeds."""
        return canonical(
            [
                *(self.model, self.row, self.recipe, self.vectors),
                *(self.training_set, self.overrides),
            ]
        )

    def is_of(self, group: Group, metric: str) -> bool:
        """Returns True if a group's very runs were measured.

        A recipe may have changed since, or have more seeds: its runs then have
        other metrics.
        """
        return (
            (self.model, self.row) == (group.model, group.row)
            and self.recipe == group.recipe
            and tuple(self.vectors) == group.vectors
            and self.overrides == group.overrides
            and self.seeds == [run["seed"] for run in group.runs]
            and (found := group.metric(metric)) is not None
            and abs(self.mean - found.mean) < 1e-9
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
        first: the first condition.
        second: the second condition.
        difference: mean over questions of the first's metric minus the
            second's.
        interval: ends of the difference's bootstrap interval.
        confidence: confidence level of the interval, such as 0.95.
        p_value: two-sided, of the permutation test.
        resamples: number of resamples of the interval.
        versions: versions of the packages that computed it, by name.
        resampled: what was drawn anew for the interval: `"questions"`, or
            `"seeds and questions"` together.
        permutations: number of permutations of the test.
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
    resampled: str = "questions"
    permutations: int = 10_000

    @property
    def identity(self) -> tuple[str, ...]:
        """The same for tests of the same metric and conditions."""
        return (
            *(self.paper, self.dataset, self.split, self.metric),
            *(self.first.identity, self.second.identity),
        )


def current_tests(
    groups: Iterable[Group], tests: Iterable[PairedTest]
) -> list[PairedTest]:
    """The tests of the runs of some groups, without those of earlier runs."""
    by_place: dict[tuple[str, str], list[Group]] = defaultdict(list)
    for group in groups:
        by_place[group.dataset, group.split].append(group)
    return [
        test
        for test in tests
        if all(
            any(
                condition.is_of(group, test.metric)
                for group in by_place[test.dataset, test.split]
            )
            for condition in (test.first, test.second)
        )
    ]


def read_paired_tests(path: Path | str = PATH) -> list[PairedTest]:
    """Reads all paired tests; none if the file does not exist.

    Raises:
        RecordError: if a line is not a paired test.
    """
    return read_lines(path, PairedTest)
