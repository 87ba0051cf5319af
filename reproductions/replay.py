"""Runs recorded cells again, and says whether their figures come back.

    python -m reproductions.replay --list
    python -m reproductions.replay hyperqa/sample/hyperqa/best/seed-1

A CELL is a paper, data set, model (or row), recipe and seed. Of several
conditions with these names it is the one recorded last, with its recipe's own
settings: on dev, or on test where dev was not measured. The command is made
from the record and run at the present commit; `--seconds N` names all cells
whose training took less and whose data are there. The exit status is 1 if a
figure is outside its band.

The band of a condition holds a further seed's figure in 95% of cases: the mean
over the recorded seeds ± t s √(1 + 1/n). A single seed, and a floor, must come
back to three decimals. Where losses or measures after each epoch are recorded,
they have bands of the same kind, and epochs outside are printed: they are many
intervals, of which some miss by chance, and do not decide the status.
"""

import argparse
import math
import sys
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from keras_qa.datasets.registry import FOLDERS
from keras_qa.datasets.registry import default_data_dir
from reproductions.harness.command import run_command
from reproductions.harness.command import with_messages
from reproductions.harness.memory import forget_models
from reproductions.records.json_lines import RecordError
from reproductions.records.paper_figures import FOLDER
from reproductions.records.rankings import Ranking
from reproductions.records.rankings import read_rankings
from reproductions.records.runs import read_all_runs
from reproductions.records.runs import read_metrics
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import group_runs
from reproductions.report.commands import experiment_or_none
from reproductions.report.commands import options_of
from reproductions.report.provenance import training_seconds

METRIC = "MAP"
CONFIDENCE = 0.95
# A figure without a deviation must come back to the three decimals of a page.
ROUNDING = 0.0005


@dataclass(frozen=True)
class Cell:
    """A recorded run.

    Attributes:
        name: what the command calls it.
        group: the runs of its condition.
        run: its record.
        ranking: what the folders of the condition's runs said, if anything.
    """

    name: str
    group: Group
    run: Mapping[str, Any]
    ranking: Ranking | None

    @property
    def seconds(self) -> float | None:
        """How long it took, or its training if only that is recorded."""
        whole: float | None = self.run.get("seconds")
        return whole or training_seconds(self.group)

    @property
    def run_sha256(self) -> str | None:
        """The checksum of its ranking, None if it is not recorded."""
        if self.run.get("run_sha256") or self.ranking is None:
            return self.run.get("run_sha256")
        place = self.ranking.condition.seeds.index(self.run["seed"])
        return self.ranking.run_sha256[place]

    @property
    def history(self) -> dict[str, list[list[float]]]:
        """What the seeds of the condition measured after each epoch."""
        if self.ranking is not None:
            return self.ranking.history
        found = [run.get("history", {}) for run in self.group.runs]
        names = set.intersection(*map(set, found))
        return {name: [one[name] for one in found] for name in sorted(names)}


def find_cells(
    groups: Sequence[Group], rankings: Sequence[Ranking] = ()
) -> dict[str, Cell]:
    """All cells by name, in the order of their names.

    Args:
        groups: the measured runs.
        rankings: what the folders of runs said.
    """
    found: dict[str, tuple[tuple[bool, int], Cell]] = {}
    for group in groups:
        if group.overrides or group.once:
            continue
        ranking = next((r for r in rankings if r.of(group)), None)
        order = (group.split == "dev", group.position)
        for run in group.runs:
            name = "/".join(
                [
                    *(group.paper, group.dataset, group.row or group.model),
                    *(group.recipe, f"seed-{run['seed']}"),
                ]
            )
            if name not in found or order > found[name][0]:
                found[name] = order, Cell(name, group, run, ranking)
    return {name: found[name][1] for name in sorted(found)}


def band(values: Sequence[float]) -> tuple[float, float]:
    """The ends of the band of a further seed's value.

    Args:
        values: the value of each recorded seed.
    """
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean - ROUNDING, mean + ROUNDING
    # Imported here because the import takes a second.
    from scipy import stats

    variance = math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)
    quantile = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1))
    half = quantile * math.sqrt(variance * (1 + 1 / len(values)))
    half = max(half, ROUNDING)
    return mean - half, mean + half


def outside_epochs(
    recorded: Mapping[str, Sequence[Sequence[float]]],
    found: Mapping[str, Sequence[float]],
) -> dict[str, list[int]]:
    """The epochs, from 1, at which a run is outside the bands of others.

    Args:
        recorded: by quantity, a list for each seed with its value after each
            epoch.
        found: by quantity, the run's values.

    Returns:
        The epochs by quantity, for quantities that both have; only epochs that
        at least two recorded seeds reached are looked at.
    """
    outside: dict[str, list[int]] = {}
    for name in recorded.keys() & found.keys():
        seeds = recorded[name]
        outside[name] = []
        for epoch, value in enumerate(found[name]):
            known = [seed[epoch] for seed in seeds if epoch < len(seed)]
            if len(known) < 2:
                continue
            low, high = band(known)
            if not low <= value <= high:
                outside[name].append(epoch + 1)
    return outside


def replay(cell: Cell, folder: Path, root: Path) -> dict[str, Any]:
    """Runs a cell's command; returns the new record.

    Args:
        cell: the cell.
        folder: where the run goes; an earlier one there is refused, since it
            would say nothing about the present commit.
        root: the folder of the data sets, which has word vectors in its
            folder `embeddings`.

    Raises:
        RecordError: if no command makes the run, or the run fails.
    """
    experiment = experiment_or_none(cell.group.paper)
    if experiment is None:
        raise RecordError(f"{cell.group.paper} has no experiment")
    options = options_of(cell.run, str(root / "embeddings"))
    if cell.group.dataset != "sample":
        options += ["--data-dir", str(root)]
    forget_models()
    status = run_command(experiment, [*options, "--output-dir", str(folder)])
    if status:
        raise RecordError(f"{cell.name}: its command ended with {status}")
    return read_metrics(folder)


def lacking(cell: Cell, root: Path) -> list[str]:
    """What a cell needs and is not there: its data set, or files of vectors.

    Args:
        cell: the cell.
        root: the folder of the data sets.
    """
    found = []
    dataset = cell.group.dataset
    if dataset != "sample" and not (root / FOLDERS[dataset]).is_dir():
        found.append(dataset)
    options = options_of(cell.run, str(root / "embeddings"))
    files = [Path(text) for text in options if text.startswith(str(root))]
    return [*found, *(file.name for file in files if not file.exists())]


def judge(cell: Cell, new: Mapping[str, Any]) -> tuple[bool, list[str]]:
    """Compares a new run with the records of its cell.

    Args:
        cell: the cell.
        new: the new record.

    Returns:
        True if the figure is in its band, and the lines to print.
    """
    metric = METRIC if METRIC in cell.run["metrics"] else cell.group.metrics[0]
    before = cell.run["metrics"][metric]
    low, high = band([run["metrics"][metric] for run in cell.group.runs])
    value = new["metrics"][metric]
    inside = low <= value <= high
    seeds = len(cell.group.runs)
    lines = [
        f"{cell.name}: {metric} {value:.4f}, recorded {before:.4f}; "
        f"{'inside' if inside else 'OUTSIDE'} [{low:.4f}, {high:.4f}], the "
        + (f"band of {seeds} seeds" if seeds > 1 else "rounding of one seed")
    ]
    recorded, now = cell.run_sha256, new.get("run_sha256")
    if recorded:
        alike = "the very same" if recorded == now else "another ranking"
        lines.append(f"  run.trec: {alike} ({now})")
    else:
        lines.append(f"  run.trec: no checksum is recorded ({now})")
    for name, epochs in outside_epochs(
        cell.history, new.get("history", {})
    ).items():
        where = ", ".join(map(str, epochs))
        lines.append(
            f"  {name}: epochs outside their bands: {where}"
            if epochs
            else f"  {name}: every epoch in its band"
        )
    return inside, lines


def chosen(
    cells: Mapping[str, Cell],
    names: Iterable[str],
    seconds: float | None,
    root: Path,
) -> list[Cell]:
    """The cells that a command line names.

    Args:
        cells: all cells by name.
        names: the names that are given.
        seconds: adds all cells that took less and lack nothing; None adds
            none.
        root: the folder of the data sets.

    Raises:
        RecordError: if there is no cell of a name.
    """
    found = []
    for name in names:
        if name not in cells:
            raise RecordError(
                f"`CELL` must be one of those that --list shows. "
                f"Received: {name!r}"
            )
        found.append(cells[name])
    if seconds is not None:
        found += [
            cell
            for cell in cells.values()
            if cell.seconds is not None
            and cell.seconds < seconds
            and not lacking(cell, root)
        ]
    # One may be named twice, or by its name and its time.
    return list({cell.name: cell for cell in found}.values())


def main(argv: Sequence[str] | None = None) -> int:
    """Lists cells or runs some; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m reproductions.replay",
        description=(__doc__ or "").splitlines()[0],
    )
    parser.add_argument("cells", nargs="*", metavar="CELL")
    parser.add_argument(
        "--list",
        action="store_true",
        help="print all cells, with the seconds that they took",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        metavar="N",
        help="run all cells that took less (of older records, their training)",
    )
    parser.add_argument(
        "--data-dir",
        type=Path,
        metavar="DIR",
        help="folder of the data sets, with vectors in its folder `embeddings` "
        "(default: $KERAS_QA_DATA); not needed for the bundled sample",
    )
    parser.add_argument(
        "--output-dir",
        type=Path,
        metavar="DIR",
        help="keep the runs, each in a folder of its own here",
    )
    options = parser.parse_args(argv)
    if not (options.list or options.cells or options.seconds):
        parser.error("give a CELL, --seconds or --list")
    outside: list[str] = []

    def run() -> None:
        records = FOLDER / "records"
        cells = find_cells(
            group_runs(read_all_runs(records)),
            read_rankings(records / "rankings.jsonl"),
        )
        if options.list:
            for cell in cells.values():
                took = "" if cell.seconds is None else f"{cell.seconds:.0f} s"
                print(f"{took:>8}  {cell.name}")
            return
        root = options.data_dir or default_data_dir()
        with TemporaryDirectory() as scratch:
            folder = options.output_dir or Path(scratch)
            for cell in chosen(cells, options.cells, options.seconds, root):
                if not _again(cell, folder, root):
                    outside.append(cell.name)

    status = with_messages(run)
    if not status and outside:
        print(f"outside: {', '.join(outside)}", file=sys.stderr)
    return status or int(bool(outside))


def _again(cell: Cell, folder: Path, root: Path) -> bool:
    """Runs a cell and prints what comes out; True if it is in its band.

    A cell that does not run is no reason not to run those after it.
    """
    try:
        new = replay(cell, folder / cell.name.replace("/", "-"), root)
    except RecordError as error:
        print(f"{cell.name}: not run: {error}", flush=True)
        return False
    inside, lines = judge(cell, new)
    print("\n".join(lines), flush=True)
    return inside


if __name__ == "__main__":
    sys.exit(main())
