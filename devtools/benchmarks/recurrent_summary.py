"""Ratios, bounds and bandwidths from the times of the benchmark `recurrent`."""

import math
import statistics
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.results import paired_ratio
from devtools.benchmarks.recurrent_plan import CONTENDERS
from devtools.benchmarks.recurrent_plan import HEADLINE
from devtools.benchmarks.recurrent_plan import Settings

FLOAT_BYTES = 4

# The least memory traffic of a recurrence, in arrays of (batch, length, d).
# Inference reads z, f and o and writes h. Training also writes c; its backward
# pass reads the gradient of h and z, f, o, c and writes those of z, f and o.
ARRAYS_MOVED = {"training": 5 + 8, "inference": 4}


@dataclass(frozen=True)
class Bound:
    """A bound on the ratio of two contenders' training times."""

    slower: str
    faster: str
    at_least: float = 0.0
    at_most: float = math.inf

    def __str__(self) -> str:
        if self.at_most < math.inf:
            return f"at most {self.at_most}"
        return f"at least {self.at_least}"

    def holds(self, ratio: float) -> bool:
        """Returns True if the ratio is within the bound."""
        return self.at_least <= ratio <= self.at_most


# Set on 2 cores, at the headline size.
BOUNDS = (
    Bound("lstm", "qrnn", at_least=4.5),
    Bound("torch-lstm", "qrnn", at_least=3.0),
    Bound("qrnn", "conv", at_most=1.35),
    Bound("ctrn", "qrnn-pair", at_most=1.6),
    Bound("ap-bilstm", "ctrn", at_least=8.0),
    Bound("ap-bilstm", "qrnn-pair", at_least=8.0),
)


def summarise(settings: Settings, measured: dict[str, Any]) -> dict[str, Any]:
    """Fastest modes, medians, ratios and bandwidths from the rounds' times."""
    cases = [_summarise_case(settings, case) for case in measured["cases"]]
    headline = next(
        case
        for case in measured["cases"]
        if (case["units"], case["length"]) == settings.headline()
    )
    bounds = []
    for workload in ("training", "inputs", "masked"):
        times = _fastest(headline["seconds"].get(workload, {}))
        for bound in BOUNDS:
            if {bound.slower, bound.faster} <= set(times):
                ratio = paired_ratio(
                    times[bound.slower][1], times[bound.faster][1]
                )
                reached = bound.holds(ratio)
                bounds.append(
                    {
                        "workload": workload,
                        "slower": bound.slower,
                        "faster": bound.faster,
                        "bound": str(bound),
                        "ratio": ratio,
                        # The bounds hold only for this size.
                        "reached": reached
                        if settings.headline() == HEADLINE
                        else None,
                    }
                )
    return {
        "headline": settings.headline(),
        "cases": cases,
        "bounds": bounds,
    }


def _summarise_case(settings: Settings, case: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"units": case["units"], "length": case["length"]}
    for workload, contenders in case["seconds"].items():
        times = _fastest(contenders)
        found[workload] = {}
        for name, (mode, seconds) in times.items():
            quartiles = np.percentile(seconds, (25, 75)).tolist()
            found[workload][name] = {
                "mode": mode,
                "seconds": statistics.median(seconds),
                "quartiles": quartiles,
            }
            reference = CONTENDERS[name].reference
            if reference in times:
                found[workload][name]["relative"] = paired_ratio(
                    seconds, times[reference][1]
                )
    copy = found.get("inference", {}).get("copy")
    if copy:
        copied = 2 * FLOAT_BYTES * settings.copied_numbers / copy["seconds"]
        found["bandwidth"] = {"copy": copied}
        numbers = settings.batch_size * case["length"] * case["units"]
        for workload, arrays in ARRAYS_MOVED.items():
            if "recurrence" in found.get(workload, {}):
                moved = (
                    FLOAT_BYTES
                    * arrays
                    * numbers
                    / found[workload]["recurrence"]["seconds"]
                )
                found["bandwidth"][workload] = moved
                found["bandwidth"][f"{workload}_share"] = moved / copied
    return found


def _fastest(
    contenders: dict[str, dict[str, list[float]]],
) -> dict[str, tuple[str, list[float]]]:
    """Each contender's mode with the lowest median, and its times."""
    return {
        name: min(modes.items(), key=lambda timed: statistics.median(timed[1]))
        for name, modes in contenders.items()
    }
