"""Cells, tables and paragraphs of the generated pages."""

import json
import re
import textwrap
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from decimal import ROUND_HALF_UP
from decimal import Decimal
from typing import Any

from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import Statistic

# In characters: paragraphs, and the widest table that `table_or_list` makes.
WIDTH = 100
WIDEST = 120


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; an empty cell means that the value is not known.

    Args:
        columns: the column headings.
        rows: the cells, row by row, each row as long as `columns`.
    """
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(map(_escape, line))} |\n" for line in lines)


def dense_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table without the columns that are empty in every row."""
    kept = [i for i in range(len(columns)) if any(row[i] for row in rows)]
    return table(
        [columns[i] for i in kept], [[row[i] for i in kept] for row in rows]
    )


def table_or_list(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, or a list if the table would be wider than `WIDEST`."""
    made = table(columns, rows)
    if max(map(len, made.splitlines())) <= WIDEST:
        return made
    items = (
        item(f"{name}: {cell}", "  ") if place else item(f"**{cell}**")
        for row in rows
        for place, (name, cell) in enumerate(zip(columns, row, strict=True))
    )
    return "\n".join(items) + "\n"


def heading(level: str, number: str, caption: str) -> str:
    """A heading with the number of a table or picture, its caption below it."""
    return f"{level} {number}\n\n" + paragraph(f"*{caption}*")


def paragraph(text: str) -> str:
    """Paragraphs, separated by empty lines, in lines of at most `WIDTH`."""
    return "\n\n".join(map(_filled, text.strip().split("\n\n"))) + "\n"


def item(text: str, indent: str = "") -> str:
    """An item of a list, after an indent."""
    return _filled(text, f"{indent}- ", f"{indent}  ")


def number(statistic: Statistic | None, digits: int = 3) -> str:
    """Mean ± deviation, for example `0.712 ± 0.004`."""
    if statistic is None:
        return ""
    text = f"{statistic.mean:.{digits}f}"
    if statistic.deviation is not None:
        text += f" ± {statistic.deviation:.{digits}f}"
    return text


def typed(figure: float, digits: int) -> str:
    """A figure as a paper prints it, halves rounded away from zero.

    >>> typed(0.6455, 3), f"{0.6455:.3f}"
    ('0.646', '0.645')
    """
    places = Decimal(1).scaleb(-digits)
    return str(Decimal(repr(figure)).quantize(places, ROUND_HALF_UP))


def tally(statistic: Statistic | None) -> str:
    """A count, usually equal for all seeds: `169`, otherwise `1.3 ± 0.6`."""
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


def seconds(value: float | None) -> str:
    """Seconds per epoch as the papers print them."""
    return "" if value is None else f"{value:g}"


def span(values: Sequence[float]) -> str:
    """The smallest and the largest number, or one: `1,000 to 2,000`."""
    if not values:
        return ""
    ends = dict.fromkeys((min(values), max(values)))
    return " to ".join(f"{value:,}" for value in ends)


def names(listed: Iterable[str]) -> str:
    """Names as code, or "none"."""
    return ", ".join(f"`{name}`" for name in listed) or "none"


def vectors(names: Sequence[str]) -> str:
    """Names of concatenated word vectors."""
    return " + ".join(f"`{name}`" for name in names) or "no vectors"


def training_set(group: Group) -> str:
    """Name and size of what a group of runs was trained on."""
    name, pairs = group.training_set, group.training_pairs
    return f"{name}, {pairs:,} pairs" if pairs else name


def settings(values: Mapping[str, Any]) -> str:
    """Settings as they are written after `--set`."""
    return " ".join(f"`{name}={value(one)}`" for name, one in values.items())


def value(setting: Any) -> str:
    """A setting's value as it is written after `--set NAME=`."""
    return setting if isinstance(setting, str) else json.dumps(setting)


class Notes:
    """Texts that are too long for a cell, listed under their table."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def cell(self, text: str, longest: int = 24) -> str:
        """The text, or the letter that it is listed under if it is longer."""
        if len(text) <= longest:
            return text
        if text not in self._texts:
            self._texts.append(text)
        return f"({_letter(self._texts.index(text))})"

    def listed(self) -> list[str]:
        """The list as one block of a page; no block if there are no texts."""
        items = [
            item(f"({_letter(place)}) {text}")
            for place, text in enumerate(self._texts)
        ]
        return ["\n".join(items) + "\n"] if items else []


def _letter(index: int) -> str:
    return chr(ord("a") + index % 26) * (index // 26 + 1)


def _filled(text: str, first: str = "", others: str = "") -> str:
    # At the start of a line a plus or a minus would begin a list.
    kept = re.sub(r" ([-+*]) ", "\0\\1 ", " ".join(text.split()))
    filled = textwrap.fill(
        kept,
        WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled.replace("\0", " ")


def _escape(cell: str) -> str:
    return " ".join(cell.replace("|", "\\|").split())
