"""What all benchmarks share: ratios, bounds, the file of figures."""

import json
import platform
import statistics
import time
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.processes import load_before
from keras_qa.files.whole import write_text


def paired_ratio(
    numerator: Sequence[float], denominator: Sequence[float]
) -> float:
    """Median of the ratios of the times of each round."""
    return statistics.median(
        a / b for a, b in zip(numerator, denominator, strict=True)
    )


def at_least(ratio: float, bound: float) -> dict[str, Any]:
    """Compares a ratio with a lower bound, for the file of figures."""
    return {
        "ratio": ratio,
        "bound": f"at least {bound:g}",
        "reached": ratio >= bound,
    }


def at_most(ratio: float, bound: float) -> dict[str, Any]:
    """Compares a ratio with an upper bound, for the file of figures."""
    return {
        "ratio": ratio,
        "bound": f"at most {bound:g}",
        "reached": ratio <= bound,
    }


def print_bounds(summary: dict[str, Any], decimals: int = 2) -> None:
    """Prints the ratio of each bound of a summary, and if it was reached."""
    for name, bound in summary["bounds"].items():
        verdict = "reached" if bound["reached"] else "NOT reached"
        print(
            f"  {name:<48}{bound['ratio']:8.{decimals}f}  {bound['bound']:<14} "
            f"{verdict}"
        )


def write_results(
    path: Path,
    settings: Any,
    load_before: Sequence[float],
    summary: dict[str, Any],
    measured: dict[str, Any],
) -> None:
    """Writes a benchmark's figures as JSON, completely or not at all.

    Args:
        path: the file.
        settings: the dataclass of the benchmark's settings.
        load_before: the machine's load averages before the benchmark.
        summary: ratios and medians.
        measured: the measurements that the summary is computed from.
    """
    result = {
        "settings": asdict(settings),
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "load_average_before": load_before,
        },
        "summary": summary,
        **measured,
    }
    text = compact(result) + "\n"
    write_text(path, text)


def conclude(
    path: Path,
    settings: Any,
    cores: int,
    measure: Callable[[], dict[str, Any]],
    summarise: Callable[[Any, dict[str, Any]], dict[str, Any]],
    report: Callable[[Any, dict[str, Any], dict[str, Any]], None],
) -> dict[str, dict[str, Any]]:
    """Measures, prints a report and writes the file of figures.

    Args:
        path: the file.
        settings: the dataclass of the benchmark's settings.
        cores: number of cores that the benchmark uses.
        measure: returns the measurements.
        summarise: computes ratios and medians from settings and measurements.
        report: prints settings, measurements and summary.

    Returns:
        Measurements and summary, as in the file.
    """
    start = time.perf_counter()
    load = load_before(cores)
    measured = measure()
    summary = summarise(settings, measured)
    report(settings, measured, summary)
    write_results(path, settings, load, summary, measured)
    print(f"\n{path} ({time.perf_counter() - start:.0f} s)")
    return {"measured": measured, "summary": summary}


def compact(value: Any, indent: str = "") -> str:
    """JSON with one line for each innermost list or object.

    A list or object that has at most 160 characters is on one line, too.

    Args:
        value: a JSON value without NaN.
        indent: the indentation of the lines after the first.
    """
    line = json.dumps(value, allow_nan=False)
    inner = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list) or len(line) <= 160:
        return line
    if not any(isinstance(one, dict | list) for one in inner):
        return line
    inside = indent + " "
    if isinstance(value, list):
        parts = [compact(one, inside) for one in value]
        begin, end = "[]"
    else:
        parts = [
            f"{json.dumps(name)}: {compact(one, inside)}"
            for name, one in value.items()
        ]
        begin, end = "{}"
    lines = f",\n{inside}".join(parts)
    return f"{begin}\n{inside}{lines}\n{indent}{end}"
