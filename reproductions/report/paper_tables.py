"""The results page: a paper's tables, ours beside its figures."""

from collections.abc import Mapping
from collections.abc import Sequence

from reproductions.records.paper_figures import Paper
from reproductions.records.paper_figures import ParametersTable
from reproductions.records.paper_figures import PrintedTable
from reproductions.records.paper_figures import ResultsTable
from reproductions.records.paper_figures import Row
from reproductions.records.parameters import Counted
from reproductions.records.seed_groups import Group
from reproductions.report import markdown
from reproductions.report.verdicts import verdict


def beside_the_paper(
    paper: Paper, groups: Sequence[Group], counts: Mapping[str, Counted]
) -> list[str]:
    """The tables of a paper.

    Args:
        paper: the paper.
        groups: the runs of its models.
        counts: the numbers of weights of its models, by model.
    """
    parts = ["### The paper's tables\n"]
    for table in paper.tables:
        parts.append(f"#### {table.number}. {table.caption}\n")
        if isinstance(table, PrintedTable):
            parts.append(markdown.table(table.columns, table.rows))
        elif isinstance(table, ParametersTable):
            parts.append(_parameters_table(table, counts))
        else:
            vectors = markdown.vectors(table.vectors)
            parts.append(
                f"Data set `{table.dataset}`, {table.split}. The paper trained "
                f"on {table.training_set} ({table.training_pairs:,} pairs) "
                f"with {vectors}; its times are on {paper.hardware}.\n"
            )
            parts.append(_results_table(table, groups))
            parts += _competitors(table)
        if table.note:
            parts.append(f"{table.note}\n")
    return parts


def _parameters_table(
    table: ParametersTable, counts: Mapping[str, Counted]
) -> str:
    sizes = ", ".join(f"{name} = {size}" for name, size in table.sizes.items())
    columns = ["Model", "Formula, paper", "by the formula", "Paper", "Ours"]
    rows = []
    for row in table.rows:
        ours = counts.get(row.ours)
        if ours is not None and ours.sizes != table.sizes:
            ours = None
        rows.append(
            [
                row.model,
                row.formula,
                f"{ours.formula:,}" if ours else "",
                row.parameters,
                f"{ours.parameters:,}" if ours else "",
            ]
        )
    return f"For {sizes}:\n\n{markdown.table(columns, rows)}"


def _results_table(table: ResultsTable, groups: Sequence[Group]) -> str:
    columns = ["Model", "Recipe"]
    for name in table.metrics:
        columns += [f"{name}, paper", f"{name}, ours"]
    columns += ["Parameters, paper", "ours", "s/epoch, paper", "ours"]
    columns += ["Seeds", "Vectors", "Training set", "Verdict"]
    rows = []
    for row in table.rows:
        if row.ours is None:
            continue
        # Changed settings stand in the tables of settings, not here.
        matches: list[Group | None] = [
            group
            for group in groups
            if (group.model, group.dataset, group.split)
            == (row.ours, table.dataset, table.split)
            and not group.overrides
            and (row.name is None or group.row == row.name)
        ]
        rows += [_beside(table, row, group) for group in matches or [None]]
    return markdown.table(columns, rows)


def _beside(table: ResultsTable, row: Row, group: Group | None) -> list[str]:
    cells = [row.model, group.recipe if group else ""]
    for metric, printed in row.metrics.items():
        measured = table.measured(metric, group) if group else None
        cells += [
            f"{printed:.{table.digits}f}",
            markdown.number(measured, min(table.digits, 3)),
        ]
    seconds = group.statistic("seconds_per_epoch") if group else None
    return [
        *cells,
        markdown.count(row.parameters),
        markdown.span(group.values("parameters")) if group else "",
        "" if row.seconds is None else f"{row.seconds:g}",
        markdown.number(seconds, 1),
        str(len(group.runs)) if group else "",
        markdown.vectors(group.vectors) if group else "",
        markdown.training_set(group) if group else "",
        verdict(table, row, group),
    ]


def _competitors(table: ResultsTable) -> list[str]:
    rows = [
        [
            row.model,
            *(
                f"{row.metrics[name]:.{table.digits}f}"
                for name in table.metrics
            ),
            markdown.count(row.parameters),
            "" if row.seconds is None else f"{row.seconds:g}",
        ]
        for row in table.rows
        if row.ours is None
    ]
    if not rows:
        return []
    columns = ["Model", *table.metrics, "Parameters", "s/epoch"]
    return [
        "<details><summary>The paper's other rows</summary>\n\n"
        f"{markdown.table(columns, rows)}\n</details>\n"
    ]
