"""Plans of studies: the runs, and the options that choose among them."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keras_qa.cli.options.devices import add_device_options
from keras_qa.cli.options.whole_numbers import positive
from keras_qa.cli.options.whole_numbers import seed
from reproductions.harness.command import count
from reproductions.harness.experiment import Experiment


@dataclass(frozen=True)
class PlannedRun:
    """One run of a study.

    Attributes:
        name: name of the run's folder.
        options: the options of the experiment's command for this run alone.
        vectors: names of its vectors.
        paper: whose command it is; empty for that of the study.
    """

    name: str
    options: tuple[str, ...]
    vectors: Sequence[str]
    paper: str = ""


def plan_run(
    dataset: str,
    model: str,
    recipe: str,
    seed: int,
    vectors: Sequence[str],
    settings: Sequence[str] = (),
    *,
    parts: Sequence[str] | None = None,
    **options: Any,
) -> PlannedRun:
    """Plans a run.

    Args:
        dataset: name of the data set.
        model: name of the model; empty for that of the row in `options`.
        recipe: name of the recipe.
        seed: the seed.
        vectors: names of the vectors.
        settings: changed settings, each `name=value` as for `--set`.
        parts: the folder is named after these and `settings`; by default data
            set, model, recipe and seed.
        **options: further options of the experiment's command, by name.
    """
    options = {
        **{"dataset": dataset, "model": model, "recipe": recipe},
        **{"seed": seed, **options},
    }
    argv = [
        text
        for k, v in options.items()
        if v or k == "seed"
        for text in _given(k, v)
    ]
    argv += [text for change in settings for text in ("--set", change)]
    if parts is None:
        parts = (dataset, model, recipe, f"seed{seed}")
    name = "-".join([*parts, *settings]).replace("/", "_")
    return PlannedRun(name, tuple(argv), vectors)


def _given(name: str, value: Any) -> tuple[str, str]:
    return f"--{name.replace('_', '-')}", str(value)


def study_parser(
    experiment: Experiment[Any],
    description: str | None,
    output_dir: str,
    *,
    datasets: Sequence[str] | None = (),
    seeds: Sequence[int] = (),
    recipe: str = "",
    splits: bool = True,
    changed: str = "",
) -> argparse.ArgumentParser:
    """Makes a parser of the options that choose among the runs of a study.

    Args:
        experiment: the paper's experiment.
        description: the docstring of the study's module.
        output_dir: default of the folder that contains the runs' folders.
        datasets: default of `--datasets`; None if each table has its own.
        seeds: default of `--seeds`; if empty, the parser has only the options
            for folders, vectors and the record, and runs keep their models.
        recipe: default of `--recipe`.
        splits: True for an option `--split`.
        changed: what `--set` applies to, for its help text.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m reproductions.study {experiment.name}",
        description=(description or "").split("\n")[0],
    )
    parser.add_argument(
        "--data-dir",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder of the data sets",
    )
    parser.add_argument(
        "--output-dir",
        type=Path,
        default=Path(output_dir),
        metavar="DIR",
        help=f"folder of the runs' folders (default: {output_dir})",
    )
    parser.add_argument(
        "--embeddings",
        nargs="+",
        required=True,
        metavar="FILE",
        help="vectors, as for the paper's command",
    )
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="append the measured runs to this file of runs (JSON lines)",
    )
    add_device_options(parser)
    parser.set_defaults(split="dev", workers=1, retries=0, worker=False)
    if not seeds:
        parser.set_defaults(keep_models=True)
        return parser
    parser.add_argument(
        "--datasets",
        nargs="+",
        default=None if datasets is None else list(datasets),
        metavar="NAME",
        help="default: "
        + (", ".join(datasets) if datasets else "those of each table"),
    )
    parser.add_argument(
        "--seeds", nargs="+", type=seed, default=list(seeds), metavar="N"
    )
    if splits:
        parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument(
        "--recipe", choices=tuple(experiment.recipes), default=recipe
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"change one setting of every {changed}",
    )
    parser.add_argument(
        "--keep-models",
        action="store_true",
        help="keep models and weights in the run folders, some 100 MB each",
    )
    return parser


def add_queue(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the queue."""
    parser.add_argument(
        "--workers",
        type=positive,
        default=1,
        metavar="N",
        help="start N processes of one thread each (default: 1, which works "
        "in this process, with the threads of a single run)",
    )
    parser.add_argument(
        "--retries",
        type=count,
        default=1,
        metavar="N",
        help="try again N times what fails, or whose process is killed "
        "(default: 1)",
    )
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
