"""A paper's page: the paper's tables, with our runs in their rows."""

from collections.abc import Sequence

from reproductions.records.paper_figures import Paper
from reproductions.records.paper_figures import PrintedTable
from reproductions.records.paper_figures import ResultsTable
from reproductions.records.paper_figures import Row
from reproductions.records.reasons import REASONS
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.rules.verdicts import refusals
from reproductions.report.rules.verdicts import verdict


def paper_tables(paper: Paper, groups: Sequence[Group]) -> list[str]:
    """The tables of a paper.

    Args:
        paper: the paper.
        groups: the runs of all papers' models.
    """
    title = "Public re-runs" if paper.reference else "The paper's tables"
    parts = [f"## {title}\n"]
    for table in paper.tables:
        parts.append(markdown.heading("###", table.number, table.caption))
        if isinstance(table, PrintedTable):
            parts.append(markdown.table_or_list(table.columns, table.rows))
        else:
            parts += _results(paper, table, groups)
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
        and not group.overrides
        and row.name in (None, group.row)
    )


def _results(
    paper: Paper, table: ResultsTable, groups: Sequence[Group]
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
            f"{table.training_set} ({table.training_pairs:,} pairs) with "
            f"{markdown.vectors(table.vectors)}."
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
    measured = [row for row, _ in found]
    others = [row for row in table.rows if row not in measured]
    if not others:
        return parts
    columns = ["Model", *table.metrics, "Parameters", "s/epoch", "Not run"]
    notes = markdown.Notes()
    rows = [
        [
            row.model,
            *(
                f"{row.metrics[name]:.{table.digits}f}"
                for name in table.metrics
            ),
            markdown.count(row.parameters),
            markdown.seconds(row.seconds),
            notes.cell(REASONS[row.why], longest=0) if row.why else "",
        ]
        for row in others
    ]
    title = f"{by}'s {'other rows' if found else 'rows, none of them run'}"
    listed = [markdown.dense_table(columns, rows), *notes.listed()]
    if table.why:
        listed.append(markdown.paragraph(REASONS[table.why]))
    return [
        *parts,
        f"<details><summary>{title}</summary>\n",
        *listed,
        "</details>\n",
    ]


def _verdict(
    table: ResultsTable, row: Row, group: Group, notes: markdown.Notes
) -> str:
    found = verdict(table, row, group)
    return notes.cell(found, longest=16) if refusals(table, group) else found


def _measured_cells(table: ResultsTable, row: Row, group: Group) -> list[str]:
    cells = [row.model, group.recipe, markdown.vectors(group.vectors)]
    for metric, printed in row.metrics.items():
        cells += [
            f"{printed:.{table.digits}f}",
            markdown.number(
                table.measured(metric, group), min(table.digits, 3)
            ),
        ]
    return [*cells, str(len(group.runs))]
