"""Cells and tables of the results page."""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; an empty cell stands for what is not known.

    Args:
        columns: the heads.
        rows: the cells, row by row, each row as long as `columns`.
    """
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(map(_escape, line))} |\n" for line in lines)


def number(statistic: Statistic | None, digits: int = 3) -> str:
    """Mean ± deviation, for example `0.712 ± 0.004`."""
    if statistic is None:
        return ""
    text = f"{statistic.mean:.{digits}f}"
    if statistic.deviation is not None:
        text += f" ± {statistic.deviation:.{digits}f}"
    return text


def tally(statistic: Statistic | None) -> str:
    """A count that is mostly the same for every seed: `169`, `1.3 ± 0.6`."""
    if statistic is None or statistic.deviation:
        return number(statistic, 1)
    return f"{statistic.mean:,.0f}"


def count(value: int | None) -> str:
    """A number of weights as the papers print it: `90K`, `1.4M`."""
    if value is None:
        return ""
    if value >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    return f"{value / 1_000:g}K" if value >= 1_000 else str(value)


def span(values: Sequence[int]) -> str:
    """One number with its thousands, or the smallest and the largest."""
    if not values:
        return ""
    ends = dict.fromkeys((min(values), max(values)))
    return " to ".join(f"{value:,}" for value in ends)


def vectors(names: Sequence[str]) -> str:
    """Names of concatenated word vectors."""
    return " + ".join(f"`{name}`" for name in names) or "no vectors"


def training_set(group: Group) -> str:
    """Name and size of what a group of runs was trained on."""
    name, pairs = group.training_set, group.training_pairs
    return f"{name}, {pairs:,} pairs" if pairs else name


def settings(values: Mapping[str, Any]) -> str:
    """Settings as they are written after `--set`."""
    return " ".join(f"`{name}={value}`" for name, value in values.items())


def _escape(cell: str) -> str:
    return " ".join(cell.replace("|", "\\|").split())
