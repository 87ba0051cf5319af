"""What the folders of recorded runs say beyond the records: `rankings.jsonl`.

A record has a run's mean metrics. Its ranking has those of each question, from
which `python -m reproductions.significance` makes the interval of a condition;
the checksum of the ranking shows whether another run is the very same.
"""

from dataclasses import dataclass
from pathlib import Path

from reproductions.records.json_lines import read_lines
from reproductions.records.paired_tests import Condition
from reproductions.records.seed_groups import Group

PATH = Path(__file__).with_name("rankings.jsonl")


@dataclass(frozen=True)
class Ranking:
    """The rankings of the runs of a condition.

    Attributes:
        paper: the paper's key.
        dataset: name of the data set.
        split: the split that was ranked.
        metric: name of the metric.
        questions: number of questions that were scored.
        condition: the condition, with its seeds.
        interval: ends of the bootstrap interval of the mean, of which seeds
            and questions are drawn anew.
        confidence: confidence level of the interval, such as 0.95.
        resamples: number of resamples.
        run_sha256: the checksum of each seed's `run.trec`.
        history: by quantity, such as `"loss"`, its values after each epoch,
            a list for each seed.
        versions: versions of the packages that computed it, by name.
    """

    paper: str
    dataset: str
    split: str
    metric: str
    questions: int
    condition: Condition
    interval: tuple[float, float]
    confidence: float
    resamples: int
    run_sha256: list[str]
    history: dict[str, list[list[float]]]
    versions: dict[str, str]

    @property
    def identity(self) -> tuple[str, ...]:
        """The same for other runs of the same condition."""
        return (
            *(self.paper, self.dataset, self.split, self.metric),
            self.condition.identity,
        )

    def of(self, group: Group) -> bool:
        """Returns True if these are the rankings of a group's very runs."""
        places = [(x.paper, x.dataset, x.split) for x in (self, group)]
        return places[0] == places[1] and self.condition.is_of(
            group, self.metric
        )


def read_rankings(path: Path | str = PATH) -> list[Ranking]:
    """Reads all rankings; none if the file does not exist.

    Raises:
        RecordError: if a line is not of a `Ranking`.
    """
    return read_lines(path, Ranking)
