"""Reads and updates `paired_tests.jsonl`: tested differences between models."""

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import get_type_hints

from keras_qa.files.checks import misfit
from keras_qa.files.locks import locked
from keras_qa.files.whole import write_whole
from reproductions.records.seed_groups import canonical

PATH = Path(__file__).with_name("paired_tests.jsonl")


class ComparisonsError(ValueError):
    """A line is not a comparison; the message names the file and the line."""


@dataclass(frozen=True)
class Side:
    """One of the two conditions: runs that differ in their seed alone.

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
    def identity(self) -> str:
        """What tells the condition from others, whatever its seeds."""
        return canonical(
            [
                *(self.model, self.row, self.recipe, self.vectors),
                *(self.training_set, self.overrides),
            ]
        )


@dataclass(frozen=True)
class Compared:
    """A difference between two conditions on the same questions.

    Attributes:
        paper: the paper's key.
        dataset: name of the data set.
        split: the split that was ranked.
        metric: name of the metric.
        questions: number of questions that were scored.
        first: the one condition.
        second: the other.
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
    first: Side
    second: Side
    difference: float
    interval: tuple[float, float]
    confidence: float
    p_value: float
    resamples: int
    versions: dict[str, str]

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells the comparison from others."""
        return (
            *(self.paper, self.dataset, self.split, self.metric),
            *(self.first.identity, self.second.identity),
        )


def read_comparisons(path: Path | str = PATH) -> list[Compared]:
    """Reads all comparisons; no file means none.

    Raises:
        ComparisonsError: if a line is not a comparison.
    """
    path = Path(path)
    if not path.exists():
        return []
    found = []
    # Texts may hold other characters at which `str.splitlines` breaks.
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            found.append(_parse(json.loads(line)))
        # The last is of JSON that is nested too deep.
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ComparisonsError(
                f"{path}:{number}: expected a comparison of two conditions. "
                f"Received: {line[:80]!r}"
            ) from error
    return found


def update_comparisons(path: Path | str, compared: Iterable[Compared]) -> None:
    """Writes comparisons in the place of those of the same two conditions.

    Several processes may do so at once: one waits for the other.

    Args:
        path: the file; it is made if it does not exist, and whole or as it
            was, whenever the process ends.
        compared: the new comparisons.
    """
    with locked(path):
        every = {c.identity: c for c in read_comparisons(path)}
        every |= {c.identity: c for c in compared}
        lines = [
            json.dumps(
                dataclasses.asdict(c), allow_nan=False, ensure_ascii=False
            )
            + "\n"
            for c in every.values()
        ]
        write_whole(path, lambda part: part.write_text("".join(lines), "utf-8"))


def _parse(fields: dict[str, Any]) -> Compared:
    sides = {name: _side(fields[name]) for name in ("first", "second")}
    kinds = get_type_hints(Compared)
    for name in sides:
        del kinds[name]
    if wrong := misfit(fields, kinds):
        raise TypeError(f"{wrong}={fields[wrong]!r}")
    low, high = fields["interval"]
    return Compared(**{**fields, **sides, "interval": (low, high)})


def _side(fields: dict[str, Any]) -> Side:
    side = Side(**fields)
    if name := misfit(fields, get_type_hints(Side)):
        raise TypeError(f"{name}={fields[name]!r}")
    return side
