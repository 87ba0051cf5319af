"""What the benchmarks share: ratios of times, and the file of figures."""

import json
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from keras_qa.files.whole import write_whole


def paired_ratio(
    numerator: Sequence[float], denominator: Sequence[float]
) -> float:
    """Median of the ratios within rounds, whose times lie side by side."""
    return statistics.median(
        a / b for a, b in zip(numerator, denominator, strict=True)
    )


def at_least(ratio: float, bound: float) -> dict[str, Any]:
    """Whether a ratio reaches a bound, for the file of figures."""
    return {
        "ratio": ratio,
        "bound": f"at least {bound:g}",
        "reached": ratio >= bound,
    }


def at_most(ratio: float, bound: float) -> dict[str, Any]:
    """Whether a ratio keeps to a bound, for the file of figures."""
    return {
        "ratio": ratio,
        "bound": f"at most {bound:g}",
        "reached": ratio <= bound,
    }


def verdict(bound: dict[str, Any]) -> str:
    """Whether a bound was reached, for people."""
    return "reached" if bound["reached"] else "NOT reached"


def write_results(
    path: Path,
    settings: Any,
    load_before: Sequence[float],
    summary: dict[str, Any],
    measured: dict[str, Any],
) -> None:
    """Writes a benchmark's figures as JSON, whole or not at all.

    Args:
        path: the file.
        settings: the dataclass of the benchmark's settings.
        load_before: the machine's load averages before it began.
        summary: ratios and medians.
        measured: what they were computed from.
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
    text = json.dumps(result, indent=1) + "\n"
    write_whole(path, lambda temporary: temporary.write_text(text))
