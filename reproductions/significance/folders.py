"""The finished runs below some folders, and which of them are recorded."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reproductions.by_question import SignificanceError
from reproductions.records.runs import RUNS
from reproductions.records.runs import read_all_runs
from reproductions.records.runs import read_metrics
from reproductions.records.seed_groups import canonical


def find_runs(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """Reads the metrics of the finished runs below some folders.

    Returns:
        The content of each `metrics.json`, and the run's folder as `folder`.

    Raises:
        SignificanceError: if a folder contains no finished run.
        RecordError: if the metrics of a run are malformed.
    """
    runs = []
    for folder in folders:
        found = [
            path
            for path in sorted(folder.rglob("metrics.json"))
            # A stage that runs share has metrics, too, but no ranking.
            if path.with_name("run.trec").exists()
        ]
        if not found:
            raise SignificanceError(
                f"{folder}: expected folders of finished runs. Received: none"
            )
        for path in found:
            record = read_metrics(path.parent)
            runs.append(record | {"folder": str(path.parent)})
    return runs


def every_run(
    runs: Sequence[dict[str, Any]], records: Path
) -> list[dict[str, Any]]:
    """The recorded runs, in their order, each with its folder if that is given.

    Args:
        runs: what `find_runs` returned; all of them, if there is no file of
            runs.
        records: the folder of that file.
    """
    if not (records / RUNS).exists():
        return list(runs)
    folders = {_record(run): run["folder"] for run in runs}
    # The order says which run of a seed, and which form of a recipe, is newer.
    found = []
    for run in read_all_runs(records):
        folder = folders.get(_record(run))
        found.append(run if folder is None else run | {"folder": folder})
    return found


def _record(run: dict[str, Any]) -> str:
    """What a run and its record have in common."""
    return canonical(
        {k: v for k, v in run.items() if k not in ("folder", "once")}
    )
