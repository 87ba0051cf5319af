"""Heatmaps of weights over words, drawn one below the other."""

import math
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.attention.figure import CHARACTER_WIDTH
from keras_qa.attention.figure import COLOR
from keras_qa.attention.figure import FONT
from keras_qa.attention.figure import new_figure
from keras_qa.attention.figure import save_figure

# The largest number of columns in a line and of characters in a label, and the
# font size in points.
COLUMNS = 40
CHARACTERS = 16
FONT_SIZE = 8
# Inches: the cell of a weight, the gap between parts, the colour bar, the
# numbers next to the bar, and the smallest width of titles.
CELL = 0.21
GAP = 0.1
BAR_WIDTH = 0.12
BAR_HEIGHT = 1.5
NUMBERS = 0.6
TITLE_WIDTH = 4.5


@dataclass(frozen=True)
class Heatmap:
    """A table of weights to draw.

    Attributes:
        heading: the text above the table.
        rows: the rows' labels.
        columns: the columns' labels.
        weights: float `(rows, columns)`, at least 0.
        darkest: the weight drawn in the darkest shade.
    """

    heading: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: np.ndarray
    darkest: float


def draw_heatmaps(
    title: str, heatmaps: Sequence[Heatmap], path: Path | str
) -> None:
    """Draws tables of weights, each with its colour bar.

    All cells have the same size. A table with more than `COLUMNS` columns is
    broken into lines of about equal length.

    Args:
        title: the text above all tables.
        heatmaps: the tables, from top to bottom.
        path: the picture to write, such as a PNG, SVG or PDF file.

    Raises:
        ImportError: if matplotlib is not installed.
        AttentionError: if matplotlib does not write files with that suffix, or
            pictures of the size that the tables need.
    """
    lines = list(_lines(heatmaps))
    left = GAP + max(_width(line.rows) for line in lines) + GAP
    widest = max(line.width for line in lines)
    width = left + max(widest + GAP + BAR_WIDTH + NUMBERS, TITLE_WIDTH)
    height = lines[-1].bottom + GAP
    figure = new_figure(width, height)
    # `new_figure` has found matplotlib.
    from matplotlib.colors import LinearSegmentedColormap

    colors = LinearSegmentedColormap.from_list("weights", ["white", COLOR])
    font: dict[str, Any] = {
        "family": FONT,
        "size": FONT_SIZE,
        "parse_math": False,
    }

    def axes_at(x: float, y: float, w: float, h: float) -> Any:
        """Adds axes by their upper left corner and their size, in inches."""
        return figure.add_axes(
            (x / width, 1 - (y + h) / height, w / width, h / height)
        )

    def write_heading(y: float, text: str) -> None:
        place = GAP / width, 1 - y / height
        figure.text(*place, text, va="top", weight="bold", **font)

    write_heading(GAP, title)
    for line in lines:
        axes = axes_at(left, line.top, line.width, line.height)
        # The scale must not be empty where all weights are 0.
        darkest = line.heatmap.darkest or 1.0
        image = axes.imshow(
            line.weights,
            colors,
            aspect="auto",
            interpolation="nearest",
            vmin=0,
            vmax=darkest,
        )
        axes.set_xticks(
            range(len(line.columns)), line.columns, rotation=90, **font
        )
        axes.set_yticks(range(len(line.rows)), line.rows, **font)
        axes.tick_params(length=0)
        if not line.first:
            continue
        write_heading(line.top - CELL, line.heatmap.heading)
        bar = axes_at(
            left + line.width + GAP,
            line.top,
            BAR_WIDTH,
            min(line.height, BAR_HEIGHT),
        )
        figure.colorbar(image, bar).set_ticks(
            [0, darkest], labels=["0", f"{darkest:.3g}"], **font
        )
    save_figure(figure, path)


@dataclass(frozen=True)
class _Line:
    """A line of a table's columns, and its position; lengths in inches."""

    heatmap: Heatmap
    part: slice
    top: float

    @property
    def first(self) -> bool:
        return self.part.start == 0

    @property
    def rows(self) -> list[str]:
        return list(map(_shortened, self.heatmap.rows))

    @property
    def columns(self) -> list[str]:
        return list(map(_shortened, self.heatmap.columns[self.part]))

    @property
    def weights(self) -> np.ndarray:
        return self.heatmap.weights[:, self.part]

    @property
    def width(self) -> float:
        return len(self.columns) * CELL

    @property
    def height(self) -> float:
        return len(self.rows) * CELL

    @property
    def bottom(self) -> float:
        return self.top + self.height + GAP + _width(self.columns)


def _lines(heatmaps: Sequence[Heatmap]) -> Iterator[_Line]:
    """The lines of all tables, from top to bottom."""
    bottom = GAP + CELL
    for heatmap in heatmaps:
        count = len(heatmap.columns)
        length = math.ceil(count / math.ceil(count / COLUMNS))
        for start in range(0, count, length):
            top = bottom + GAP + (CELL if start == 0 else 0)
            line = _Line(heatmap, slice(start, start + length), top)
            yield line
            bottom = line.bottom


def _shortened(word: str) -> str:
    if len(word) <= CHARACTERS:
        return word
    return f"{word[: CHARACTERS - 1]}…"


def _width(words: Sequence[str]) -> float:
    """The width of the longest of some words, in inches."""
    characters = max(map(len, words))
    return characters * CHARACTER_WIDTH * FONT_SIZE / 72
