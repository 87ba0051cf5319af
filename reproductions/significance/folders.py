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


def recorded_runs(
    runs: Sequence[dict[str, Any]], records: Path
) -> list[dict[str, Any]]:
    """The runs that a file of runs has, or all if there is no such file.

    Args:
        runs: what `find_runs` returned.
        records: the folder of the file.
    """
    if not (records / RUNS).exists():
        return list(runs)
    known = {
        canonical({k: v for k, v in run.items() if k != "once"})
        for run in read_all_runs(records)
    }
    return [
        run
        for run in runs
        if canonical({k: v for k, v in run.items() if k != "folder"}) in known
    ]
