"""Loss and held-out metric of some runs, epoch by epoch.

    python -m reproductions.learning_curves --run RUN [--run RUN ...] \
        --output curves.png

A RUN is the output folder of one of the papers' scripts, finished or not. The
metric is measured on the questions that choose the epoch. Runs that differ in
nothing but the seed are one line, their mean, with a band from the lowest to
the highest. Lines are labelled by what they differ in: model or row, data set,
split, seed, settings; the title has what they share, and the number of those
questions where a run records it.
"""

import argparse
import csv
import json
import math
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from typing import NotRequired
from typing import TypedDict

import numpy as np

from keras_qa.files.checks import read_json
from keras_qa.files.text_files import shorten
from reproductions.harness.command import add_run_option
from reproductions.harness.command import print_error
from reproductions.records.json_lines import RecordError
from reproductions.records.paper_figures import model_names
from reproductions.records.runs import read_metrics
from reproductions.report.plots import epoch_lines


class _Settings(TypedDict):
    model: str
    settings: dict[str, Any]
    vectors: NotRequired[list[str]]
    inputs: NotRequired[dict[str, Any]]


def read_history(folder: Path, metric: str) -> dict[str, np.ndarray]:
    """The loss and a metric of a run, each a float64 vector `(epochs,)`.

    Raises:
        FileNotFoundError: if the folder contains no training.
        RecordError: if the training lacks the metric or has no epoch yet, or
            the file is not a table of numbers.
    """
    path = folder / "history.csv"
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        try:
            names = reader.fieldnames or ()
            rows = [(reader.line_num, row) for row in reader]
        except (ValueError, csv.Error) as error:
            raise RecordError(
                f"{path}:{reader.line_num + 1}: expected a table. "
                f"Received: {shorten(str(error))}"
            ) from error
    if not {"loss", metric} <= set(names) or not rows:
        raise RecordError(
            f"{path}: expected epochs with columns 'loss' and {metric!r}. "
            f"Received: {len(rows)} epochs, columns {shorten(list(names))}"
        )
    return {
        name: np.array([_number(path, line, row[name]) for line, row in rows])
        for name in ("loss", metric)
    }


def _number(path: Path, line: int, text: str | None) -> float:
    with suppress(TypeError, ValueError):
        value = float(text or "")
        if math.isfinite(value):
            return value
    raise RecordError(
        f"{path}:{line}: expected a number in every column. "
        f"Received: {shorten(text)}"
    )


def by_seed(folders: Sequence[Path]) -> list[list[Path]]:
    """The folders, those that differ in nothing but the seed together.

    Each is alone where the groups have other seeds than one another.

    Raises:
        RecordError: if a folder contains no settings of a run.
    """
    groups: dict[str, dict[Any, Path]] = {}
    for folder in folders:
        known = _identity(folder)
        seed = known.pop("seed", None)
        groups.setdefault(json.dumps(known), {})[seed] = folder
    found = [list(group.values()) for group in groups.values()]
    # A run that is given twice is left to `labels`.
    if len({tuple(group) for group in groups.values()}) > 1 or sum(
        map(len, found)
    ) < len(folders):
        return [[folder] for folder in folders]
    return found


def read_curves(
    folders: Sequence[Path], metric: str
) -> dict[str, dict[str, np.ndarray]]:
    """By label the loss and a metric, float64 arrays `(seeds, epochs)`.

    Raises:
        FileNotFoundError: if a folder contains no training.
        RecordError: see `read_history` and `labels`; or if a run occurs twice,
            or runs of other seeds have another number of epochs.
    """
    groups = by_seed(folders)
    curves = {}
    for label, group in zip(
        labels([g[0] for g in groups]), groups, strict=True
    ):
        found = [read_history(folder, metric) for folder in group]
        if len({len(one["loss"]) for one in found}) > 1:
            raise RecordError(
                "expected runs of as many epochs with each seed. Received: "
                + ", ".join(f"{len(one['loss'])}" for one in found)
            )
        curves[label] = {
            name: np.stack([one[name] for one in found]) for name in found[0]
        }
    return curves


def labels(folders: Sequence[Path]) -> list[str]:
    """Labels of runs: the entries of `settings.json` in which they differ.

    Raises:
        RecordError: if two runs differ in nothing, or a folder contains no
            settings of a run.
    """
    runs = [_identity(folder) for folder in folders]
    differing = [
        name
        for name in dict.fromkeys(name for run in runs for name in run)
        if any(run.get(name) != runs[0].get(name) for run in runs)
    ]
    found = [
        ", ".join(
            str(run[name]) if name in _PLAIN else f"{name} {run[name]}"
            for name in differing
            if name in run
        )
        for run in runs
    ]
    if len(set(found)) < len(found):
        raise RecordError(
            "expected runs that differ in model, data set, seed, vectors or "
            "settings. "
            f"Received: {', '.join(map(str, folders))}"
        )
    # The label of a single run is empty.
    return [
        label or run["model"] for label, run in zip(found, runs, strict=True)
    ]


_PLAIN = ("model", "row", "dataset")


def title(folders: Sequence[Path], metric: str) -> str:
    """What runs share, and what the metric was measured on.

    Args:
        folders: folders of runs.
        metric: name of the metric.

    Raises:
        RecordError: if a folder contains no settings of a run.
    """
    runs = [_identity(folder) for folder in folders]
    shared = [
        str(runs[0][name]) if name in _PLAIN else f"{name} {runs[0][name]}"
        for name in ("model", "dataset", "split", "seed")
        if len({run.get(name) for run in runs}) == 1 and name in runs[0]
    ]
    if len(by_seed(folders)) < len(folders):
        seeds = dict.fromkeys(run["seed"] for run in runs)
        shared.append(f"mean and range of seeds {', '.join(map(str, seeds))}")
    counts: list[int] = [
        metrics["selection_questions"]
        for folder in folders
        if (folder / "metrics.json").exists()
        and "selection_questions" in (metrics := read_metrics(folder))
    ]
    of = f"{max(counts):,} questions" if counts else "the questions"
    return f"{', '.join(shared)}; {metric} of {of} that choose the epoch"


def _identity(folder: Path) -> dict[str, Any]:
    run = read_json(
        folder / "settings.json", _Settings, RecordError, "a run's settings"
    )
    names = ("paper", "row", "model", "dataset", "split", "recipe", "seed")
    known = {name: run[name] for name in names if name in run}
    if "vectors" in run:
        known["vectors"] = " ".join(run["vectors"])
    # What the run learned from before, by digest.
    earlier = run.get("inputs", {})
    known |= {n: earlier[n] for n in ("transfer", "teacher") if n in earlier}
    model = model_names().get(run["model"], run["model"])
    return {**known, "model": model, **run["settings"]}


def main(argv: Sequence[str] | None = None) -> int:
    """Draws the curves; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.learning_curves",
        description=__doc__.splitlines()[0],
    )
    add_run_option(parser)
    parser.add_argument("--metric", default="MAP", metavar="NAME")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args(argv)
    try:
        curves = read_curves(arguments.run, arguments.metric)
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        epoch_lines(
            curves, arguments.output, title(arguments.run, arguments.metric)
        )
    except (ImportError, OSError, RecordError) as error:
        print_error(error)
        return 2
    print(arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
