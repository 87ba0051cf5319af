"""What a paper's models are held against today."""

from collections.abc import Mapping
from collections.abc import Sequence

from reproductions.records.costs import Cost
from reproductions.records.costs import with_tuned
from reproductions.records.papers import Paper
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.systems import is_of_today

ABOUT_REFERENCES = """\
Not in the paper, which could not have them: small transformers that start from
all-MiniLM-L6-v2. It was itself trained on a thousand million pairs of texts,
questions with their answers among them, so its rows had far more to learn from
than the others. [Their page](../{key}/README.md) has more of their runs, and
[IAM's](../iam/README.md) those that stand for a BERT in its tables.
Milliseconds are those of WikiQA; [quality against cost](../frontier.md) has
other models' times."""
NOTHING = "nothing more"


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
    paper = next(filter(is_of_today, papers.values()), None)
    key = paper.key if paper else None
    # IAM's page, too, has runs of the cross-encoder.
    models = {group.model for group in groups if group.paper == key}
    own = [
        group
        for group in groups
        if group.model in models
        and group.split == "dev"
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
        # What it was trained on is a column.
        made = notes.cell(markdown.settings(group.changed))
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
