"""The results page: tested differences between models."""

from collections.abc import Sequence

from reproductions.records.paired_tests import Compared
from reproductions.records.paired_tests import Side
from reproductions.records.paper_figures import Paper
from reproductions.records.paper_figures import ResultsTable
from reproductions.records.seed_groups import Statistic
from reproductions.report import markdown

REMARK = """\
By `python -m reproductions.significance`: the metric of each question, for MAP
its average precision, is averaged over the seeds of a model and paired with the
other's. The
difference is the mean over questions, with a bootstrap interval; p is that of
a two-sided permutation test with {resamples:,} resamples. Both speak of the
questions, not of the seeds, whose deviation stands beside each mean, and are
not corrected for the number of comparisons. "Paper" is the difference of the
two figures that it prints, for test.
"""


def differences(
    paper: Paper, compared: Sequence[Compared], models: dict[str, str]
) -> list[str]:
    """The tested differences, a table for each data set, split and metric.

    Args:
        paper: the paper.
        compared: the comparisons of its models.
        models: names of models for readers.
    """
    if not paper.comparisons:
        return []
    parts = ["### Differences between models\n"]
    if not compared:
        return [*parts, "No comparison is recorded.\n"]
    resamples = max(item.resamples for item in compared)
    parts.append(REMARK.format(resamples=resamples))
    tables: dict[tuple[str, str, str], list[Compared]] = {}
    for item in compared:
        place = (item.dataset, item.split, item.metric)
        tables.setdefault(place, []).append(item)
    for (dataset, split, metric), own in tables.items():
        parts.append(f"#### `{dataset}` {split}, differences of {metric}\n")
        parts.append(_table(paper, own, models))
    return parts


def _table(
    paper: Paper, compared: Sequence[Compared], models: dict[str, str]
) -> str:
    # A recorded comparison that is no longer asked for comes last.
    wanted = [(c.first, c.second) for c in paper.comparisons]
    order = {pair: place for place, pair in enumerate(wanted)}
    columns = ["First", "Second", "Recipe", "Vectors", "Questions", "Seeds"]
    columns += [f"{compared[0].metric}, first", "second", "Difference"]
    columns += [f"{compared[0].confidence:.0%} interval", "p", "Paper"]
    rows = [
        [
            _name(item.first, models),
            _name(item.second, models),
            item.first.recipe,
            _vectors(item),
            str(item.questions),
            f"{len(item.first.seeds)}, {len(item.second.seeds)}",
            _mean(item.first),
            _mean(item.second),
            f"{item.difference:+.3f}",
            "{:+.3f} to {:+.3f}".format(*item.interval),
            f"{item.p_value:.4f}",
            _printed(paper, item),
        ]
        for item in sorted(
            compared,
            key=lambda item: order.get(
                (
                    item.first.row or item.first.model,
                    item.second.row or item.second.model,
                ),
                len(order),
            ),
        )
    ]
    return markdown.table(columns, rows)


def _name(side: Side, models: dict[str, str]) -> str:
    name = models.get(side.model, side.model)
    row = f"({side.row})" if side.row else ""
    return f"{name} {row} {markdown.settings(side.overrides)}".strip()


def _vectors(item: Compared) -> str:
    """The vectors of both; a model of words alone has none."""
    sides = [side.vectors for side in (item.first, item.second)]
    if sides[1] in (sides[0], []):
        del sides[1]
    return "; ".join(map(markdown.vectors, sides))


def _mean(side: Side) -> str:
    return markdown.number(
        Statistic(side.mean, side.deviation, len(side.seeds))
    )


def _printed(paper: Paper, item: Compared) -> str:
    """The difference of the two figures in the paper's table, if it has both.

    The table that fits is the one on the data set of the comparison.
    """
    for table in paper.tables:
        if not isinstance(table, ResultsTable) or table.dataset != item.dataset:
            continue
        rows = {row.name or row.ours: row for row in table.rows if row.ours}
        sides = [
            rows.get(side.row or side.model)
            for side in (item.first, item.second)
        ]
        columns = table.columns_of(item.metric)
        if columns and all(sides):
            first, second = (row.metrics for row in sides if row)
            differences = [first[name] - second[name] for name in columns]
            unit = 0.01 if table.percent else 1
            return ", ".join(f"{unit * d:+.3f}" for d in differences if d)
    return ""
