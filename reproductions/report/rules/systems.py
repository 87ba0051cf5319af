"""Systems: what was measured of both quality and cost."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

from reproductions.records.costs import Cost
from reproductions.records.costs import with_tuned
from reproductions.records.papers import Paper
from reproductions.records.rankings import Ranking
from reproductions.records.seed_groups import FIRST
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.floors import is_untrained
from reproductions.report.rules.lines import latest_best
from reproductions.report.rules.marks import SUM
from reproductions.report.rules.marks import is_sum

KINDS = ("trained network", "floor", "reference of today")


@dataclass(frozen=True)
class System:
    """A system with its quality and its costs.

    Attributes:
        name: its name.
        quality: its metric on dev.
        cost: the record of its costs.
        floor: True without a trained network.
        vectors: names of its word vectors.
        interval: ends of the interval of the quality over seeds and questions,
            None if it is not recorded.
        questions: number of questions, None if it is not recorded.
        seeds: the seeds of its runs; none of a floor.
        reference: True for what all papers' models are held against.
        own: True for the model that a paper proposes.
        mark: what stands after its name: whether a floor is in its score.
        parameters: how many its recipe trains, None without training.
    """

    name: str
    quality: Statistic
    cost: Cost
    floor: bool
    vectors: tuple[str, ...]
    interval: tuple[float, float] | None = None
    questions: int | None = None
    seeds: tuple[int, ...] = ()
    reference: bool = False
    own: bool = False
    mark: str = ""
    parameters: int | None = None

    @property
    def kind(self) -> str:
        """What the picture shows it as, one of `KINDS`."""
        trained, floor, reference = KINDS
        if self.reference:
            return reference
        return floor if self.floor else trained

    @property
    def microseconds(self) -> float:
        """The time for a pair."""
        return self.cost["microseconds_per_pair"]


def find_systems(
    papers: Mapping[str, Paper],
    groups: Sequence[Group],
    costs: Sequence[Cost],
    dataset: str,
    rankings: Sequence[Ranking] = (),
) -> list[System]:
    """The systems with both a quality and costs, the fastest and best first.

    Args:
        papers: the papers by key.
        groups: the measured runs of all papers.
        costs: the recorded costs.
        dataset: name of the data set.
        rankings: what the folders of runs said, for the intervals.
    """
    found = []
    for cost in with_tuned(costs):
        of_model = [
            group
            for group in groups
            if (group.paper, group.model) == (cost["paper"], cost["model"])
            and (group.dataset, group.split) == (dataset, "dev")
            and group.recipe == cost["recipe"]
            # The settings of a first training do not change the costs.
            and all(name.startswith(FIRST) for name in group.overrides)
        ]
        for training in set(map(_first_training, of_model)):
            own = [g for g in of_model if _first_training(g) == training]
            latest = latest_best(own)
            quality = latest.metric(METRIC) if latest else None
            if latest is None or quality is None or cost["dataset"] != dataset:
                continue
            paper = papers[cost["paper"]]
            floor = is_untrained(latest)
            interval = next(
                (
                    r.interval
                    for r in rankings
                    if r.metric == METRIC and r.of(latest)
                ),
                None,
            )
            found.append(
                System(
                    paper.named(cost["model"]) + training,
                    *(quality, cost, floor, latest.vectors, interval),
                    max(latest.values("questions"), default=None),
                    () if floor else tuple(run["seed"] for run in latest.runs),
                    is_of_today(paper),
                    cost["model"] == paper.model,
                    f" {SUM}" if is_sum(latest) else "",
                    None
                    if floor
                    else max(latest.values("parameters"), default=None),
                )
            )
    return sorted(found, key=lambda s: (s.microseconds, -s.quality.mean))


def _first_training(group: Group) -> str:
    """What a model's name gets that other data sets have taught before."""
    if not group.learnt_first:
        return ""
    taught = " by " in group.learnt_first
    return ", distilled" if taught else ", transferred"


def on_frontier(systems: Sequence[System]) -> list[System]:
    """Those that none of the others beats; `systems` has the fastest first."""
    best, found = -1.0, []
    for system in systems:
        if system.quality.mean > best:
            found.append(system)
            best = system.quality.mean
    return found


def is_of_today(paper: Paper) -> bool:
    """True for the references, which the papers did not have."""
    return paper.reference and not paper.quoted
