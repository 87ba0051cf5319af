"""The page of quality against cost, and its picture."""

import math
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reproductions.records.costs import Cost
from reproductions.records.costs import with_tuned
from reproductions.records.papers import Paper
from reproductions.records.rankings import Ranking
from reproductions.records.seed_groups import FIRST
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic
from reproductions.report import markdown
from reproductions.report import plots
from reproductions.report.paper_page import GENERATED
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.floors import is_untrained
from reproductions.report.rules.lines import TRAIN_SPLIT
from reproductions.report.rules.lines import latest_best
from reproductions.report.rules.marks import ABOUT_SUMS
from reproductions.report.rules.marks import SUM
from reproductions.report.rules.marks import is_sum

INTRODUCTION = """\
{metric} on dev against the time to score one of {pool} candidates of a
question, on {cores} cores, with the candidates read anew for each question, and
against the bytes of all weights in float32, word vectors and a BERT that gives
them included. "Encoded" is the time with the vectors of the candidates at hand,
where it was taken, too. Parameters are those that the recipe
trains, in an epoch of the seconds that are named. A system is on the frontier
if no other is at least as good and takes no longer. `python -m
reproductions.frontier` measures the times, with the word vectors that are
named. "Transferred" is trained on the questions of [other data
sets](../docs/transfer.md) first, "distilled" on a larger model's scores of
them. The picture has names where there is room, and the area of a mark grows
with the square root of the bytes."""

ABOUT_REFERENCES = """\
Not in the paper, which could not have them: small transformers that start from
all-MiniLM-L6-v2. It was itself trained on a thousand million pairs of texts,
questions with their answers among them, so its rows had far more to learn from
than the others. [Their page](../{key}/README.md) has all runs,
[this one](../frontier.md) the times of all models."""
NOTHING = "nothing more"
# Kinds of systems in the picture, each with its marker.
KINDS = {"trained network": "o", "floor": "s", "reference of today": "D"}
# What a name takes of the picture: in MAP, and for each letter in powers of ten
# of the time.
NAME_HEIGHT, LETTER_WIDTH = 0.012, 0.028
# Where a name can stand at its mark: alignment, points to the right and up, and
# how far up that is in MAP.
PLACES = (
    ("left", (5, 5), 0.0),
    ("right", (-5, 5), 0.0),
    ("left", (5, -10), -0.016),
    ("right", (-5, -10), -0.016),
)


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
                    _is_of_today(paper),
                    cost["model"] == paper.model,
                    f" {SUM}" if is_sum(latest) else "",
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


def frontier_page(
    papers: Mapping[str, Paper], groups: Sequence[Group], costs: Sequence[Cost]
) -> str:
    """The page in Markdown, with a table for each data set.

    Args:
        papers: the papers by key.
        groups: the measured runs of all papers.
        costs: the recorded costs.
    """
    parts = [f"# Quality against cost\n\n{GENERATED}\n"]
    if not costs:
        parts.append("Not measured.\n")
    for number, dataset in enumerate(
        dict.fromkeys(cost["dataset"] for cost in costs)
    ):
        systems = find_systems(papers, groups, costs, dataset)
        chosen, notes = on_frontier(systems), markdown.Notes()
        if number == 0:
            about = INTRODUCTION.format(metric=METRIC, **costs[0])
            parts.append(markdown.paragraph(about))
            if any(system.mark for system in systems):
                parts.append(markdown.paragraph(ABOUT_SUMS))
        rows = [
            [
                f"{system.name}{system.mark}",
                notes.cell(markdown.vectors(system.vectors)),
                markdown.number(system.quality),
                f"{system.microseconds:,.1f}",
                _optional(system.cost.get("microseconds_per_encoded_pair")),
                f"{system.cost['bytes'] / 1e6:,.1f}",
                markdown.count(system.cost.get("parameters")),
                _optional(system.cost.get("seconds_per_epoch")),
                "yes" if system in chosen else "",
            ]
            for system in systems
        ]
        columns = ["System", "Vectors", f"{METRIC}, dev", "µs a pair"]
        columns += ["encoded", "MB", "Parameters", "s/epoch"]
        columns += ["On the frontier"]
        parts += [
            f"## `{dataset}`\n",
            f"![{METRIC} against microseconds](frontier-{dataset}.png)\n",
            *_how_much_longer(papers, costs, dataset),
            markdown.table(columns, rows),
            *notes.listed(),
        ]
    return "\n".join(parts)


def _how_much_longer(
    papers: Mapping[str, Paper], costs: Sequence[Cost], dataset: str
) -> list[str]:
    """A sentence on the reference's time next to that of an encoder.

    The encoder is the model of the first paper whose model gives each text a
    vector.
    """
    known = {
        (cost["paper"], cost["model"]): cost
        for cost in costs
        if cost["dataset"] == dataset
    }
    own = [(p, known.get((p.key, p.model))) for p in papers.values()]
    slow = [(p, cost) for p, cost in own if cost and _is_of_today(p)]
    fast = [
        (p, cost, cost["microseconds_per_encoded_pair"])
        for p, cost in own
        if cost and not p.reference and "microseconds_per_encoded_pair" in cost
    ]
    if not (slow and fast):
        return []
    (reference, one), (paper, other, encoded) = slow[0], fast[0]
    time, name = one["microseconds_per_pair"], paper.named(paper.model)
    return [
        markdown.paragraph(
            f"{reference.named(reference.model)} takes "
            f"{time / other['microseconds_per_pair']:,.0f} times as long a "
            f"pair as {name} (with {name}'s candidates encoded: "
            f"{time / encoded:,.0f} times)."
        )
    ]


def _optional(figure: float | None) -> str:
    return "" if figure is None else f"{figure:,.1f}"


def reference_table(
    papers: Mapping[str, Paper],
    groups: Sequence[Group],
    costs: Sequence[Cost],
    datasets: Sequence[str],
) -> list[str]:
    """The section on what a paper's models are held against today.

    Args:
        papers: the papers by key, and what they are held against.
        groups: the measured runs of all papers.
        costs: the recorded costs.
        datasets: names of the paper's data sets.
    """
    paper = next(filter(_is_of_today, papers.values()), None)
    own = [
        group
        for group in groups
        if paper is not None
        and (group.paper, group.split) == (paper.key, "dev")
        and group.dataset in datasets
    ]
    if paper is None or not own:
        return []
    known = {
        cost["model"]: [
            f"{cost['bytes'] / 4e6:.1f} M",
            f"{cost['microseconds_per_pair'] / 1e3:.1f}",
        ]
        for cost in with_tuned(costs)
        if cost["paper"] == paper.key
    }
    rows, notes = [], markdown.Notes()
    for group in own:
        trained = group.statistic("parameters")
        size = f"{trained.mean / 1e6:.1f} M" if trained else ""
        changed = {
            name: value
            for name, value in group.overrides.items()
            # What it was trained on is a column.
            if name != TRAIN_SPLIT
        }
        made = notes.cell(markdown.settings(changed))
        rows.append(
            [
                f"{paper.named(group.model)} {made}".strip(),
                f"`{group.dataset}`",
                group.training_set if trained else NOTHING,
                markdown.number(group.metric(METRIC)),
                str(len(group.runs)),
                *known.get(group.model, [size, ""]),
            ]
        )
    columns = ["Reference", "Data set", "Trained on", f"{METRIC}, dev"]
    columns += ["Seeds", "Parameters", "ms a pair"]
    return [
        "## References of today\n",
        markdown.paragraph(ABOUT_REFERENCES.format(key=paper.key)),
        markdown.table(columns, rows),
        *notes.listed(),
    ]


def _is_of_today(paper: Paper) -> bool:
    return paper.reference and not paper.quoted


def frontier_picture(systems: Sequence[System], path: Path) -> None:
    """Draws quality against time; a mark's area grows with the weights.

    Args:
        systems: what `find_systems` returned.
        path: the PNG file to write.

    Raises:
        ImportError: if matplotlib is not installed.
    """
    figure = plots.new_figure(8, 5)
    axes = figure.subplots()
    for system in systems:
        if system.interval:
            axes.vlines(
                system.microseconds,
                *system.interval,
                color="#BBBBBB",
                linewidth=1,
                zorder=0,
            )
    line = on_frontier(systems)
    axes.plot(
        [system.microseconds for system in line],
        [system.quality.mean for system in line],
        color=plots.GREY,
        linewidth=1,
        drawstyle="steps-post",
        zorder=1,
    )
    for color, (kind, marker) in zip(plots.COLORS, KINDS.items(), strict=False):
        chosen = [system for system in systems if system.kind == kind]
        axes.scatter(
            [system.microseconds for system in chosen],
            [system.quality.mean for system in chosen],
            # A square root: from some bytes to 90 MB.
            [10 + (s.cost["bytes"] / 1e4) ** 0.5 for s in chosen],
            color=color,
            marker=marker,
            label=kind,
        )
    for system, alignment, points in _named(systems):
        axes.annotate(
            system.name,
            (system.microseconds, system.quality.mean),
            xytext=points,
            textcoords="offset points",
            ha=alignment,
            fontsize=6.5,
        )
    axes.set_xscale("log")
    axes.set_xlabel("microseconds a pair")
    axes.set_ylabel(f"{METRIC}, dev")
    plots.legend_above(axes, _title(systems))
    plots.save(figure, path)


def _named(
    systems: Sequence[System],
) -> list[tuple[System, str, tuple[int, int]]]:
    """Those whose names have room, and where: alignment and points.

    The frontier comes first, then what the papers propose and what they are
    held against today.
    """
    line = on_frontier(systems)
    taken: list[tuple[float, float, float]] = []
    found = []
    for system in sorted(
        systems, key=lambda s: (s not in line, not (s.own or s.reference))
    ):
        width = LETTER_WIDTH * len(system.name)
        mark = math.log10(system.microseconds)
        for alignment, points, up in PLACES:
            first = mark if alignment == "left" else mark - width
            height = system.quality.mean + up
            if all(
                abs(height - other) > NAME_HEIGHT
                or first > end
                or first + width < start
                for start, end, other in taken
            ):
                taken.append((first, first + width, height))
                found.append((system, alignment, points))
                break
    return found


def _title(systems: Sequence[System]) -> str:
    """What a picture's qualities were measured on."""
    counts = [len(system.seeds) for system in systems if system.seeds]
    few, many = min(counts, default=0), max(counts, default=0)
    seeds = f"{few} seeds" if few == many else f"{few} to {many} seeds"
    more = [f"{seeds} of each network"] if counts else []
    if any(system.interval for system in systems):
        more.append("\n95% intervals over seeds and questions, where recorded")
    return plots.measured_on(
        systems[0].cost["dataset"],
        "dev",
        max((s.questions for s in systems if s.questions), default=None),
        (),
        *more,
    )
