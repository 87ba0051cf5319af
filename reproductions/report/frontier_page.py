"""The page of quality against cost."""

from collections.abc import Mapping
from collections.abc import Sequence

from reproductions.records.costs import Cost
from reproductions.records.papers import Paper
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.paper_page import GENERATED
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.marks import ABOUT_SUMS
from reproductions.report.rules.systems import find_systems
from reproductions.report.rules.systems import is_of_today
from reproductions.report.rules.systems import on_frontier

INTRODUCTION = """\
{metric} on dev against the time to score one of {pool} candidates of a
question, on {cores} cores, with the candidates read anew for each question, and
against the bytes of all weights in float32, word vectors and a BERT that gives
them included, and of IAM the vectors of all texts that it has read. "Encoded"
is the time with the vectors of the candidates at hand, where it was taken, too.
Parameters are those that the recipe trains, in an epoch of the seconds that are
named. A system is on the frontier if no other is at least as good in as little
time. `python -m reproductions.frontier` measures the times, with the word
vectors that are named. "Transferred" is trained on the questions of [other data
sets](../docs/transfer.md) first, "distilled" on a larger model's scores of
them. The picture has names where there is room, and the area of a mark grows
with the square root of the bytes."""


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
                markdown.count(system.parameters),
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
    slow = [(p, cost) for p, cost in own if cost and is_of_today(p)]
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
