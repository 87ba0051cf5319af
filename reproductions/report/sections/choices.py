"""Which model for which need: chosen by rule from quality and cost."""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from reproductions.records.costs import Cost
from reproductions.records.papers import Paper
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.rules.floors import BELOW
from reproductions.report.rules.systems import System
from reproductions.report.rules.systems import find_systems

DATASETS = ("wikiqa", "trecqa-clean", "trecqa-raw")
# What another seed changes; a simpler or faster system within it is as good.
NEARLY = 0.01


def _reads_bert(system: System) -> bool:
    return any(name.startswith("bert:") for name in system.vectors)


ANEW, ENCODED = "microseconds_per_pair", "microseconds_per_encoded_pair"
# What is needed, whether a system meets it, and the time that counts then.
NEEDS: tuple[tuple[str, Callable[[System], bool], str], ...] = (
    ("no word vectors, no network", lambda s: s.floor and not s.vectors, ANEW),
    (
        "word vectors, no network",
        lambda s: s.floor and not _reads_bert(s),
        ANEW,
    ),
    (
        "trained, at most 100 µs a pair",
        lambda s: not s.floor and s.microseconds <= 100,
        ANEW,
    ),
    (
        "trained, at most 1,000 µs a pair",
        lambda s: not s.floor and s.microseconds <= 1000,
        ANEW,
    ),
    (
        # A sum with a floor is no distance of two vectors.
        "trained, for a search index",
        lambda s: not s.floor and not s.mark and ENCODED in s.cost,
        ENCODED,
    ),
    ("at most 30 MB of weights", lambda s: s.cost["bytes"] <= 30e6, ANEW),
    ("no limit", lambda s: True, ANEW),
)


def choices(
    papers: Mapping[str, Paper], groups: Sequence[Group], costs: Sequence[Cost]
) -> str:
    """The table of needs, with the system that each data set speaks for.

    Of the systems that meet a need it is the fastest of those that are at most
    `NEARLY` below the best. `BELOW` marks one below a faster floor.

    Args:
        papers: the papers by key.
        groups: the measured runs of all papers.
        costs: the recorded costs. Time and size of a system are those of one
            data set; they hold for the others, too.
    """
    columns, cells = ["Need"], [[need] for need, *_ in NEEDS]
    for dataset in DATASETS:
        here: list[Cost] = [{**cost, "dataset": dataset} for cost in costs]
        systems = find_systems(papers, groups, here, dataset)
        columns.append(f"`{dataset}`")
        for row, (_, meets, time) in zip(cells, NEEDS, strict=True):
            row.append(_chosen([s for s in systems if meets(s)], time, systems))
    return markdown.table(columns, cells)


def _chosen(
    meeting: Sequence[System], time: str, systems: Sequence[System]
) -> str:
    if not meeting:
        return "none measured"
    best = max(system.quality.mean for system in meeting)
    level = [s for s in meeting if s.quality.mean >= best - NEARLY]

    def taken(system: System) -> float:
        cost: Mapping[str, Any] = system.cost
        return float(cost[time])

    one = min(level, key=taken)
    # Without the deviation, which other pages have: three cells are a line.
    name = f"{one.name}{one.mark}"
    passed = any(
        s.floor
        and s.quality.mean > one.quality.mean
        and s.microseconds < taken(one)
        for s in systems
    )
    mark = f" {BELOW}" if passed else ""
    return f"{name} {one.quality.mean:.3f}{mark}, {taken(one):,.0f} µs"
