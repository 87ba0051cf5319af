"""A paper's page: the paper's tables, with our runs in their rows."""

from collections.abc import Mapping
from collections.abc import Sequence
from types import MappingProxyType

from reproductions.records.papers import Paper
from reproductions.records.papers import PrintedTable
from reproductions.records.papers import ResultsTable
from reproductions.records.papers import Row
from reproductions.records.reasons import REASONS
from reproductions.records.seed_groups import UNTRAINED
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.rules.marks import about_sums
from reproductions.report.rules.marks import is_sum
from reproductions.report.rules.marks import plain_recipe
from reproductions.report.rules.marks import recipe_of
from reproductions.report.rules.row_runs import dev_figure
from reproductions.report.rules.row_runs import dev_metric
from reproductions.report.rules.row_runs import dev_of_row
from reproductions.report.rules.row_runs import why_not_run
from reproductions.report.rules.verdicts import refusals
from reproductions.report.rules.verdicts import verdict

ON_DEV = """\
{metric} on dev is ours, of other questions than the paper's figures, by the
recipe and vectors that are best on dev, and by the table's training set if a
run of it is recorded."""
NONE: Mapping[str, Paper] = MappingProxyType({})


def paper_tables(
    paper: Paper, groups: Sequence[Group], papers: Mapping[str, Paper] = NONE
) -> list[str]:
    """The tables of a paper.

    Args:
        paper: the paper.
        groups: the runs of all papers' models.
        papers: all papers by key, which name the models of others.
    """
    title = "Public re-runs" if paper.reference else "The paper's tables"
    parts = [f"## {title}\n"]
    for table in paper.tables:
        parts.append(markdown.heading("###", table.number, table.caption))
        if isinstance(table, PrintedTable):
            parts.append(markdown.table_or_list(table.columns, table.rows))
        else:
            parts += _results(paper, table, groups, papers)
        if table.note:
            parts.append(markdown.paragraph(table.note))
    return parts


def matches(paper: Paper, table: ResultsTable, row: Row, group: Group) -> bool:
    """Returns True if a group's runs belong to a row of a paper's table.

    Runs with changed settings do not: see `run_tables.changed_settings`.
    """
    return (
        (group.paper, group.model) == row.source(paper.key)
        and (group.dataset, group.split) == (table.dataset, table.split)
        and not group.changed
        and row.name in (None, group.row)
    )


def _results(
    paper: Paper,
    table: ResultsTable,
    groups: Sequence[Group],
    papers: Mapping[str, Paper],
) -> list[str]:
    by = "The re-run" if paper.reference else "The paper"
    found = [
        (row, group)
        for row in table.rows
        for group in groups
        if matches(paper, table, row, group)
    ]
    parts = [
        markdown.paragraph(
            f"Data set `{table.dataset}`, {table.split}. {by} trained on "
            f"{_training(table)}."
        )
    ]
    if found:
        columns = ["Model", "Recipe", "Vectors"]
        for name in table.metrics:
            columns += [f"{name}, paper", "ours"]
        columns += ["Seeds", "Verdict"]
        notes = markdown.Notes()
        rows = [
            [
                *_measured_cells(table, row, group),
                _verdict(table, row, group, notes),
            ]
            for row, group in found
        ]
        parts += [markdown.table(columns, rows), *notes.listed()]
        parts += map(markdown.paragraph, about_sums(g for _, g in found))
    measured = [row for row, _ in found]
    others = [row for row in table.rows if row not in measured]
    if others:
        parts += _others(paper, table, others, groups, papers)
    return parts


def _training(table: ResultsTable) -> str:
    """The training set and the vectors of a table, and what is not printed."""
    pairs = f"{table.training_pairs:,} pairs"
    if "pairs" in table.unprinted:
        pairs += " in the data set"
    if "training set" in table.unprinted:
        pairs = f"assumed, {pairs}"
    assumed = " (assumed)" if "vectors" in table.unprinted else ""
    return (
        f"{table.training_set} ({pairs}) with "
        f"{markdown.vectors(table.vectors)}{assumed}"
    )


def _others(
    paper: Paper,
    table: ResultsTable,
    rows: Sequence[Row],
    groups: Sequence[Group],
    papers: Mapping[str, Paper],
) -> list[str]:
    """The rows without a run on the table's split: dev's, or why there is none.

    Args:
        paper: the paper.
        table: the table.
        rows: those of its rows.
        groups: the runs of all papers' models.
        papers: all papers by key.
    """
    of_dev = [dev_of_row(paper, table, row, groups) for row in rows]
    notes = markdown.Notes()
    cells = []
    for row, group in zip(rows, of_dev, strict=True):
        figure, why = "", REASONS[row.why] if row.why else ""
        if group is not None:
            made = notes.cell(_made(paper, row, group, papers), longest=0)
            shown = markdown.number(
                dev_figure(table, group), min(table.digits, 3)
            )
            figure = f"{shown} {made}"
        elif row.ours and not (row.why or table.why):
            why = why_not_run(paper, table, row, groups)
        cells.append(
            [
                row.model,
                *(
                    f"{row.metrics[name]:.{table.digits}f}"
                    for name in table.metrics
                ),
                markdown.count(row.parameters),
                markdown.seconds(row.seconds),
                figure,
                str(len(group.runs)) if group else "",
                notes.cell(why, longest=0) if why else "",
            ]
        )
    metric = dev_metric(table)
    columns = ["Model", *table.metrics, "Parameters", "s/epoch"]
    columns += [f"{metric} on dev", "Seeds", "Not run"]
    by = "The re-run" if paper.reference else "The paper"
    which = "other rows"
    if len(rows) == len(table.rows):
        which = f"rows, none of them run{f' on {table.split}' * any(of_dev)}"
    listed = [markdown.dense_table(columns, cells), *notes.listed()]
    if any(of_dev):
        listed.insert(0, markdown.paragraph(ON_DEV.format(metric=metric)))
    if table.why:
        listed.append(markdown.paragraph(REASONS[table.why]))
    return [
        f"<details><summary>{by}'s {which}</summary>\n",
        *listed,
        "</details>\n",
    ]


def _made(
    paper: Paper, row: Row, group: Group, papers: Mapping[str, Paper]
) -> str:
    """What some runs were made with; their model, if named otherwise."""
    name = papers.get(group.paper, paper).named(group.model)
    known = name.casefold() in row.model.casefold()
    recipe = plain_recipe(group)
    made = [
        f"recipe {recipe} {markdown.settings(group.changed)}".strip(),
        f"trained on {group.training_set}",
    ]
    if group.recipe == UNTRAINED:
        read = f" to the labels of {group.training_set}"
        made = [recipe if recipe == UNTRAINED else recipe + read]
    if is_sum(group):
        made.append("with the floor `features` in the score")
    names = [] if known else [name]
    return ", ".join([*names, *made, markdown.vectors(group.vectors)])


def _verdict(
    table: ResultsTable, row: Row, group: Group, notes: markdown.Notes
) -> str:
    found = verdict(table, row, group)
    return notes.cell(found, longest=16) if refusals(table, group) else found


def _measured_cells(table: ResultsTable, row: Row, group: Group) -> list[str]:
    recipe = recipe_of(group)
    cells = [row.model, recipe, markdown.vectors(group.vectors)]
    for metric, printed in row.metrics.items():
        cells += [
            f"{printed:.{table.digits}f}",
            markdown.number(
                table.measured(metric, group), min(table.digits, 3)
            ),
        ]
    return [*cells, str(len(group.runs))]
