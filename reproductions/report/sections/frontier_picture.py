"""The picture of quality against cost."""

import math
from collections.abc import Sequence
from pathlib import Path

from keras_qa.attention.figure import new_figure
from keras_qa.attention.figure import save_figure
from reproductions.report import plots
from reproductions.report.rules.floors import METRIC
from reproductions.report.rules.systems import KINDS
from reproductions.report.rules.systems import System
from reproductions.report.rules.systems import on_frontier

# Of each of `KINDS`.
MARKERS = "osD"
# What a name takes of the picture: in MAP, and for each letter in powers of ten
# of the time.
NAME_HEIGHT, LETTER_WIDTH = 0.012, 0.028
# Where a name can stand at its mark: alignment, points to the right and up, and
# how far up that is in MAP.
PLACES = (
    ("left", (5, 5), 0.0),
    ("right", (-5, 5), 0.0),
    ("left", (5, -10), -0.016),
    ("right", (-5, -10), -0.016),
)


def frontier_picture(systems: Sequence[System], path: Path) -> None:
    """Draws quality against time; a mark's area grows with the weights.

    Args:
        systems: what `find_systems` returned.
        path: the PNG file to write.

    Raises:
        ImportError: if matplotlib is not installed.
    """
    figure = new_figure(8, 5, "constrained")
    axes = figure.subplots()
    for system in systems:
        if system.interval:
            axes.vlines(
                system.microseconds,
                *system.interval,
                color="#BBBBBB",
                linewidth=1,
                zorder=0,
            )
    line = on_frontier(systems)
    axes.plot(
        [system.microseconds for system in line],
        [system.quality.mean for system in line],
        color=plots.GREY,
        linewidth=1,
        drawstyle="steps-post",
        zorder=1,
    )
    for color, marker, kind in zip(plots.COLORS, MARKERS, KINDS, strict=False):
        chosen = [system for system in systems if system.kind == kind]
        axes.scatter(
            [system.microseconds for system in chosen],
            [system.quality.mean for system in chosen],
            # A square root: from some bytes to 90 MB.
            [10 + (s.cost["bytes"] / 1e4) ** 0.5 for s in chosen],
            color=color,
            marker=marker,
            label=kind,
        )
    for system, alignment, points in _named(systems):
        axes.annotate(
            system.name,
            (system.microseconds, system.quality.mean),
            xytext=points,
            textcoords="offset points",
            ha=alignment,
            fontsize=6.5,
        )
    axes.set_xscale("log")
    axes.set_xlabel("microseconds a pair")
    axes.set_ylabel(f"{METRIC}, dev")
    plots.legend_above(axes, _title(systems))
    save_figure(figure, path)


def _named(
    systems: Sequence[System],
) -> list[tuple[System, str, tuple[int, int]]]:
    """Those whose names have room, and where: alignment and points.

    The frontier comes first, then what the papers propose and what they are
    held against today.
    """
    line = on_frontier(systems)
    taken: list[tuple[float, float, float]] = []
    found = []
    for system in sorted(
        systems, key=lambda s: (s not in line, not (s.own or s.reference))
    ):
        width = LETTER_WIDTH * len(system.name)
        mark = math.log10(system.microseconds)
        for alignment, points, up in PLACES:
            first = mark if alignment == "left" else mark - width
            height = system.quality.mean + up
            if all(
                abs(height - other) > NAME_HEIGHT
                or first > end
                or first + width < start
                for start, end, other in taken
            ):
                taken.append((first, first + width, height))
                found.append((system, alignment, points))
                break
    return found


def _title(systems: Sequence[System]) -> str:
    """What a picture's qualities were measured on."""
    counts = [len(system.seeds) for system in systems if system.seeds]
    few, many = min(counts, default=0), max(counts, default=0)
    seeds = f"{few} seeds" if few == many else f"{few} to {many} seeds"
    more = [f"{seeds} of each network"] if counts else []
    if any(system.interval for system in systems):
        more.append("\n95% intervals over seeds and questions, where recorded")
    return plots.measured_on(
        systems[0].cost["dataset"],
        "dev",
        max((s.questions for s in systems if s.questions), default=None),
        (),
        *more,
    )
