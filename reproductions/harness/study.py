"""What the studies share: many runs of a script, one after the other."""

import argparse
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from pathlib import Path

import keras

from keras_qa.training.run_folder import keep_only

# What a run leaves that its figures and tests are made of.
SMALL = (
    "settings.json",
    "metrics.json",
    "history.csv",
    "run.trec",
    "qrels.trec",
)


def study_parser(
    module: str, description: str, output_dir: str
) -> argparse.ArgumentParser:
    """A parser of the options that all studies have.

    Args:
        module: name of the study's module.
        description: what it runs.
        output_dir: default of the folder that the runs' folders go to.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m reproductions.{module}", description=description
    )
    parser.add_argument("--data-dir", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--output-dir", type=Path, default=Path(output_dir), metavar="DIR"
    )
    parser.add_argument(
        "--embeddings", nargs="+", required=True, metavar="FILE"
    )
    parser.add_argument("--record", type=Path, metavar="FILE")
    return parser


def run_all(
    script: Callable[[Sequence[str]], int],
    runs: Iterable[tuple[str, Sequence[str], Sequence[str]]],
    arguments: argparse.Namespace,
    keep_models: bool = True,
) -> int:
    """Runs a script again and again, on dev unless the study asks otherwise.

    A finished run is skipped, so a study that stopped goes on when it is given
    again.

    Args:
        script: the script's `main`.
        runs: for each run the name of its folder, its options and the names of
            its vectors.
        arguments: what a parser of `study_parser` returned; its `split`, if
            it has one, is the split that is reported on.
        keep_models: whether models and weights stay in a finished run's
            folder, some 100 MB each.

    Returns:
        0, or the exit status of the first run that fails.
    """
    record = ("--record", str(arguments.record)) if arguments.record else ()
    for name, options, vectors in runs:
        # A hundred models in one process would fill the memory.
        keras.utils.clear_session()
        folder = arguments.output_dir / name
        status = script(
            [
                *options,
                *("--split", getattr(arguments, "split", "dev")),
                *("--resume", *record),
                *("--data-dir", str(arguments.data_dir)),
                *("--embeddings", *vectors),
                *("--output-dir", str(folder)),
            ]
        )
        if status:
            return status
        if not keep_models:
            keep_only(folder, SMALL)
    return 0
