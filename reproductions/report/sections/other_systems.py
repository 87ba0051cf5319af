"""The systems that the papers' tables quote: a table on each paper's page."""

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from reproductions.records.papers import Paper
from reproductions.records.rankings import Ranking
from reproductions.records.seed_groups import TRAIN_SPLIT
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.lines import NOT_RUN
from reproductions.report.rules.lines import OTHER
from reproductions.report.rules.lines import SPLITS
from reproductions.report.rules.lines import Line
from reproductions.report.rules.lines import best_floor
from reproductions.report.rules.lines import chosen
from reproductions.report.rules.lines import figure_cells
from reproductions.report.rules.marks import about_sums
from reproductions.report.rules.marks import recipe_of
from reproductions.report.rules.row_runs import dev_of_row

ABOUT = """\
Rows of the tables above whose systems were measured by another script of this
project, on their data sets. The paper's figure is of test, ours are {metric} on
dev, the mean over seeds ± the sample standard deviation, with the 95% interval
from a bootstrap of questions and seeds where it is recorded, and the best floor
of the same vectors. Of several recipes and vectors a line has the one that is
best on dev, trained on the table's training set if such a run is recorded. Runs
on test are in the tables themselves. [All of them]({page}), their recipes and
commands."""
AT_A_GLANCE = """\
{metric} of each system by data set and training set, by the recipe and vectors
that are best on dev, the mean over seeds ± the sample standard deviation, with
the 95% interval from a bootstrap of questions and seeds where it is recorded,
next to the best floor of the same vectors. "Re-run" is what Castor prints for
its own re-run of the system, on test. ↓: below the best floor. {other}: test
was measured in another condition than dev. {not_run}: not run."""
MADE = ("Trained on", "Recipe", "Seeds")


def other_systems(
    paper: Paper,
    papers: Mapping[str, Paper],
    groups: Sequence[Group],
    rankings: Sequence[Ranking] = (),
) -> list[str]:
    """The section on a paper's page.

    Args:
        paper: the paper.
        papers: all papers by key.
        groups: the measured runs of all papers.
        rankings: what the folders of runs said.

    Returns:
        The section; nothing if none of these systems was measured.
    """
    page = next((p.key for p in papers.values() if p.quoted), None)
    notes = markdown.Notes()
    rows, shown = [], []
    for table in paper.results:
        for row in table.rows:
            source = row.source(paper.key)
            if source is None or source[0] == paper.key:
                continue
            group = dev_of_row(paper, table, row, groups)
            if group is None:
                continue
            shown.append(group)
            line = Line(paper, table.dataset, table, row, {"dev": group})
            dev, _ = figure_cells(line, groups, rankings)
            rows.append(
                [
                    row.model,
                    table.number,
                    line.printed,
                    dev,
                    best_floor(line, "dev", groups),
                    *_made(line, ("dev",), notes),
                ]
            )
    if not rows or page is None:
        return []
    columns = ["System", "Table", "Paper, test", "Ours, dev", "Best floor"]
    about = ABOUT.format(metric=METRIC, page=f"../{page}/README.md")
    return [
        "## Other systems of the tables, measured\n",
        markdown.paragraph(about),
        *map(markdown.paragraph, about_sums(shown)),
        markdown.table([*columns, *MADE], rows),
        *notes.listed(),
    ]


def at_a_glance(
    paper: Paper, groups: Sequence[Group], rankings: Sequence[Ranking] = ()
) -> list[str]:
    """The section on the systems' own page, by data set.

    Args:
        paper: the quoted systems.
        groups: the measured runs of all papers.
        rankings: what the folders of runs said.
    """
    own = [group for group in groups if group.paper == paper.key]
    re_runs = {
        (row.ours, table.dataset): row.metrics[METRIC]
        for table in paper.results
        for row in table.rows
        if METRIC in row.metrics
    }
    parts = ["## At a glance\n"]
    about = AT_A_GLANCE.format(metric=METRIC, other=OTHER, not_run=NOT_RUN)
    parts.append(markdown.paragraph(about if own else "Not run."))
    parts += map(markdown.paragraph, about_sums(own))
    for dataset in sorted({group.dataset for group in own}):
        notes = markdown.Notes()
        rows = []
        for model in paper.models:
            found = _conditions(groups, (paper.key, model), dataset)
            re_run = re_runs.get((model, dataset))
            for members in found:
                line = Line(paper, dataset, None, None, chosen(members, None))
                rows.append(
                    [
                        paper.named(model),
                        *figure_cells(line, groups, rankings),
                        best_floor(line, "dev", groups),
                        *_made(line, SPLITS, notes),
                        markdown.typed(re_run, 3) if re_run else "",
                    ]
                )
        columns = ["System", "Ours, dev", "Ours, test", "Best floor, dev"]
        parts += [
            f"### `{dataset}`\n",
            markdown.table([*columns, *MADE, "Re-run"], rows),
            *notes.listed(),
        ]
    return parts


def _conditions(
    groups: Sequence[Group], source: tuple[str, str] | None, dataset: str
) -> Iterator[list[Group]]:
    """The runs of a model on a data set, for each training set of TrecQA."""
    own = [
        group
        for group in groups
        if (group.paper, group.model) == source
        and group.dataset == dataset
        and not group.changed
        # Rows of another paper's tables have settings of their own.
        and group.row is None
    ]
    for split in dict.fromkeys(g.overrides.get(TRAIN_SPLIT) for g in own):
        yield [g for g in own if g.overrides.get(TRAIN_SPLIT) == split]


def _made(
    line: Line, splits: Sequence[str], notes: markdown.Notes
) -> list[str]:
    """What a line's runs were made with, and their number by split."""
    shown = line.groups.get("dev") or line.groups["test"]
    seeds = [
        str(len(line.groups[split].runs)) if split in line.groups else NOT_RUN
        for split in splits
    ]
    vectors = notes.cell(markdown.vectors(shown.vectors), longest=0)
    return [
        shown.training_set,
        f"{recipe_of(shown)} {vectors}",
        ", ".join(seeds),
    ]
