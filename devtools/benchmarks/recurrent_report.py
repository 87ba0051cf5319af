"""The tables and the picture of `devtools.benchmarks.recurrent`."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from devtools.benchmarks.recurrent_plan import CONTENDERS
from devtools.benchmarks.recurrent_plan import HEADLINE
from devtools.benchmarks.recurrent_plan import WORKLOADS
from devtools.benchmarks.recurrent_plan import Settings
from devtools.benchmarks.recurrent_summary import ARRAYS_MOVED
from keras_qa.files.whole import write_whole


def report(
    settings: Settings, measured: dict[str, Any], summary: dict[str, Any]
) -> None:
    """Prints the tables."""
    device = measured["devices"]["keras"]
    print(
        f"\nKeras on {measured['backend']}, {device[1]}"
        + (f", {settings.cores} cores" if device[0] == "cpu" else "")
        + f"; batches of {settings.batch_size} texts with {settings.features} "
        f"features; {settings.repeats} rounds.\nMilliseconds: median and "
        "distance of the quartiles. x: times of QRNN on the same texts."
    )
    for case, raw in zip(summary["cases"], measured["cases"], strict=True):
        workloads = [w for w in WORKLOADS if w in case]
        print(f"\nd = {case['units']}, L = {case['length']}")
        print(" " * 20 + "".join(f"{w:^32}" for w in workloads))
        for name, contender in CONTENDERS.items():
            cells = [_cell(case[w].get(name)) for w in workloads]
            if name != "copy" and any(cell.strip() for cell in cells):
                print(f"{contender.label:<20}" + "".join(cells).rstrip())
        if "bandwidth" in case:
            _report_bandwidth(case["bandwidth"])
        for step, error in raw["failures"].items():
            print(f"not measured: {step}: {error.splitlines()[0][:120]}")
    if not summary["bounds"]:
        return
    units, length = summary["headline"]
    print(
        f"\nBounds on the ratio of training steps, set for 2 cores at d = "
        f"{HEADLINE[0]}, L = {HEADLINE[1]}; measured at d = {units}, "
        f"L = {length}"
    )
    verdicts = {True: "reached", False: "NOT reached", None: "another size"}
    for bound in summary["bounds"]:
        pair = (
            f"{CONTENDERS[bound['slower']].label} / "
            f"{CONTENDERS[bound['faster']].label}"
        )
        print(
            f"  {bound['workload']:<9}{pair:<32}{bound['bound']:<14}"
            f"{bound['ratio']:7.2f}  {verdicts[bound['reached']]}"
        )


def _cell(found: dict[str, Any] | None) -> str:
    if found is None:
        return " " * 32
    low, high = found["quartiles"]
    relative = found.get("relative")
    return (
        f"{1000 * found['seconds']:9.2f} ±{1000 * (high - low):6.2f}"
        + (f"{relative:7.2f} x" if relative is not None else " " * 9)
        + f" {found['mode']:<5}"
    )


def _report_bandwidth(bandwidth: dict[str, float]) -> None:
    shares = [
        f"{bandwidth[w] / 1e9:.1f} GB/s in {w} "
        f"({100 * bandwidth[f'{w}_share']:.0f}%)"
        for w in ARRAYS_MOVED
        if w in bandwidth
    ]
    print(
        f"a copy moves {bandwidth['copy'] / 1e9:.1f} GB/s, the recurrence "
        + ", ".join(shares)
    )


def draw(summary: dict[str, Any], device: Sequence[str], path: Path) -> None:
    """Draws the headline's training times relative to QRNN (CTRN, Figure 3).

    Bars are medians of the rounds, with the quartiles of each system's own
    times.

    Args:
        summary: what `summarise` returned.
        device: kind and name of the device.
        path: the PNG file to write.
    """
    from matplotlib.figure import Figure

    from reproductions.report.plots import COLORS
    from reproductions.report.plots import GREY

    units, length = summary["headline"]
    found = next(
        case
        for case in summary["cases"]
        if [case["units"], case["length"]] == [units, length]
    )["training"]
    names = [
        name
        for name in CONTENDERS
        if "relative" in found.get(name, {})
        and name not in ("qrnn-pair", "copy", "recurrence")
    ]
    figure = Figure((6.4, 0.55 * len(names) + 1.2), dpi=150)
    figure.set_layout_engine("constrained")
    axes = figure.subplots()
    places = np.arange(len(names))
    measured = axes.barh(
        places - 0.2,
        [found[name]["relative"] for name in names],
        0.38,
        color=COLORS[0],
        xerr=np.transpose([_quartiles(found[name]) for name in names]),
        error_kw={"linewidth": 1, "ecolor": "black"},
        label=f"measured at d = {units}, L = {length}, {device[0].upper()}, "
        "random texts; quartiles",
    )
    axes.bar_label(measured, fmt="%.2f", padding=3, fontsize=8)
    stated = [
        (place, times)
        for place, name in zip(places, names, strict=True)
        if (times := CONTENDERS[name].paper)
    ]
    paper = axes.barh(
        [place + 0.2 for place, _ in stated],
        [times for _, times in stated],
        0.38,
        color=GREY,
        alpha=0.5,
        label="about, says the paper (d = 800, epochs of TrecQA)",
    )
    axes.bar_label(paper, fmt="%g", padding=3, fontsize=8)
    axes.axvline(1, color=GREY, linestyle="--", linewidth=1, zorder=0)
    axes.set_yticks(places, [CONTENDERS[name].label for name in names])
    axes.invert_yaxis()
    axes.set_xlabel("training step, in times of QRNN's on the same texts")
    axes.margins(x=0.1)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, ncols=1)
    # Without matplotlib's version the same data give the same file.
    write_whole(path, partial(figure.savefig, metadata={"Software": None}))


def _quartiles(times: dict[str, Any]) -> list[float]:
    """Distances of the quartiles from the median, relative to QRNN."""
    low, high = times["quartiles"]
    unit = times["relative"] / times["seconds"]
    middle = times["seconds"]
    return [(middle - low) * unit, (high - middle) * unit]
