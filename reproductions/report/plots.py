"""Pictures that all papers share, and helpers for each paper's pictures."""

import textwrap
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.attention.figure import new_figure
from keras_qa.attention.figure import save_figure
from reproductions.records.paper_figures import model_names

# Paul Tol's bright scheme: distinct for the colour-blind and in print.
COLORS = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377")
GREY = "#777777"
MARKERS = "osD^v"


def measured_on(
    dataset: str,
    split: str,
    questions: int | None,
    seeds: Sequence[int],
    *more: str,
) -> str:
    """The title of a picture: what its figures were measured on.

    Args:
        dataset: name of the data set.
        split: the split that was scored.
        questions: number of its questions, None if it is not known.
        seeds: the seeds of the runs; none for a picture of the data alone.
        more: further parts, such as what the bars are; one that starts with a
            line break is a line of its own.
    """
    count = "" if questions is None else f"{questions:,} questions"
    word = "seed" if len(seeds) == 1 else "seeds"
    which = f"{word} {', '.join(map(str, seeds))}" if seeds else ""
    parts = filter(None, [f"{dataset} {split}", count, which, *more])
    return "; ".join(parts).replace("; \n", "\n")


def results_bars(
    results: Mapping[str, Mapping[str, float]],
    path: Path | str,
    title: str,
    intervals: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
) -> None:
    """Draws the metrics of some models as bars, with their values.

    Args:
        results: metrics by model.
        path: the PNG file to write.
        title: what they were measured on.
        intervals: the ends of their intervals by model and metric, if any.
    """
    models = list(results)
    metrics = list(dict.fromkeys(m for r in results.values() for m in r))
    names = model_names()
    figure = new_figure(1.8 + 1.5 * len(metrics), 3.4, "constrained")
    axes = figure.subplots()
    width = 0.8 / len(models)
    for i, model in enumerate(models):
        places = np.arange(len(metrics)) + (i - (len(models) - 1) / 2) * width
        heights = [results[model].get(metric, np.nan) for metric in metrics]
        bars = axes.bar(
            places,
            heights,
            0.92 * width,
            color=COLORS[i % len(COLORS)],
            label=names.get(model, model),
        )
        axes.bar_label(
            bars, fmt="%.2f", label_type="center", color="white", fontsize=8
        )
        for place, metric in zip(places, metrics, strict=True):
            if ends := (intervals or {}).get(model, {}).get(metric):
                axes.vlines(place, *ends, color="black", linewidth=1)
    axes.set_xticks(np.arange(len(metrics)), metrics)
    axes.set_ylim(0, 1.05)
    axes.set_yticks(np.linspace(0, 1, 6))
    axes.grid(axis="x", visible=False)
    legend_above(axes, title)
    save_figure(figure, path)


def epoch_lines(
    curves: Mapping[str, Mapping[str, np.ndarray]], path: Path | str, title: str
) -> None:
    """Draws what was measured after each epoch, one panel for each quantity.

    Args:
        curves: by label its quantities, such as `"loss"` and `"MAP"`, each a
            float array `(seeds, epochs)`: the line is the mean of the seeds,
            the band their range.
        path: the PNG file to write.
        title: what they were measured on.
    """
    quantities = list(dict.fromkeys(q for c in curves.values() for q in c))
    figure = new_figure(3.9 * len(quantities), 3.4, "constrained")
    panels = figure.subplots(1, len(quantities), squeeze=False)[0]
    for axes, quantity in zip(panels, quantities, strict=True):
        for i, (name, values) in enumerate(curves.items()):
            runs, color = values[quantity], COLORS[i % len(COLORS)]
            epochs = np.arange(1, runs.shape[1] + 1)
            if len(runs) > 1:
                ends = runs.min(axis=0), runs.max(axis=0)
                axes.fill_between(epochs, *ends, color=color, alpha=0.2, lw=0)
            axes.plot(
                epochs,
                runs.mean(axis=0),
                color=color,
                marker=MARKERS[i % len(MARKERS)],
                markersize=4,
                linewidth=1.8,
                label=name,
            )
        axes.set_xlabel("epoch")
        axes.set_ylabel(quantity)
        axes.xaxis.get_major_locator().set_params(integer=True)
        _plain(axes)
    figure.legend(
        *panels[0].get_legend_handles_labels(),
        loc="outside upper left",
        frameon=False,
        title=textwrap.fill(title, 44 * len(quantities)),
        alignment="left",
    )
    save_figure(figure, path)


def _plain(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.8)
    axes.set_axisbelow(True)


def line_style(index: int) -> dict[str, Any]:
    """Colour, marker and width of the n-th line of a picture, from 0."""
    return {
        "color": COLORS[index % len(COLORS)],
        "marker": MARKERS[index % len(MARKERS)],
        "linewidth": 1.8,
    }


def legend_above(axes: Any, title: str = "") -> None:
    """Puts a legend above axes; removes their top and right frame lines."""
    _plain(axes)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=3,
        frameon=False,
        borderaxespad=0.2,
        title=title or None,
        alignment="left",
    )
