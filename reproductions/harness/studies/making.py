"""The runs of a study, made by way of a queue."""

import argparse
from collections.abc import Iterable
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from keras_qa.cli.options.devices import device_options
from keras_qa.errors import DatasetError
from keras_qa.errors import VectorsError
from keras_qa.training.run_folder import HISTORY
from keras_qa.training.run_folder import METRICS
from keras_qa.training.run_folder import SETTINGS
from keras_qa.training.run_folder import keep_only
from reproductions.harness.command import run_command
from reproductions.harness.experiment import experiment_of
from reproductions.harness.memory import forget_models
from reproductions.harness.studies.plans import PlannedRun
from reproductions.harness.studies.queue import Queue
from reproductions.harness.studies.workers import make_all
from reproductions.harness.studies.workers import work

# The files of a run that tables and significance tests read.
SMALL = (SETTINGS, METRICS, HISTORY, "run.trec", "qrels.trec")
# In the folder of a study, next to those of its runs.
QUEUE = "queue"


def run_all(
    paper: str,
    runs: Iterable[PlannedRun],
    arguments: argparse.Namespace,
    command: Sequence[str] = (),
) -> int:
    """Makes the runs of a study that are not made yet.

    A killed run goes on where it was, and a finished one is left as it is, so
    the same command continues a study. Several processes may run it at once.

    Args:
        paper: whose runs they are, if they do not say.
        runs: the runs, in order.
        arguments: what a parser of `study_parser` returned.
        command: the command of one of several workers.

    Returns:
        0, or 1 if a run is not made.
    """
    folder = arguments.output_dir
    jobs: dict[str, dict[str, Any]] = {}
    vectors: set[str] = set()
    for run in runs:
        vectors.update(run.vectors)
        job = _job(run, paper, arguments)
        if jobs.setdefault(run.name, job) != job:
            raise ValueError(f"Two runs have the folder {run.name!r}")
    check_files(arguments.data_dir, vectors)
    queue = Queue(folder / QUEUE, arguments.retries)
    if arguments.worker:
        # To add them again would try what was given up once more.
        work(queue, make)
        return 0
    queue.add(jobs, lambda name: (folder / name / METRICS).exists())
    return make_all(queue, jobs, make, arguments.workers, command)


def check_files(data_dir: Path, vectors: Iterable[str]) -> None:
    """Checks what all runs read, so that a study does not fail run by run.

    Args:
        data_dir: the folder of the data sets.
        vectors: names of vectors, as on the command line.

    Raises:
        DatasetError, VectorsError: if a folder or file does not exist.
    """
    # Imported here because gensim takes a second.
    from reproductions.harness.vectors import BERT
    from reproductions.harness.vectors import ELMO
    from reproductions.harness.vectors import RANDOM
    from reproductions.harness.vectors import SKIPGRAM

    if not data_dir.is_dir():
        raise DatasetError(
            f"--data-dir must be a folder that exists. Received: {data_dir}"
        )
    for name in sorted(vectors):
        if name.startswith(BERT) or name in (SKIPGRAM, RANDOM):
            continue
        if not Path(name.removeprefix(ELMO)).exists():
            raise VectorsError(
                "--embeddings must be files that exist, or `skipgram`, "
                f"`random`, `bert:SOURCE` or `elmo:DIR`. Received: {name}"
            )


def _job(
    run: PlannedRun, paper: str, arguments: argparse.Namespace
) -> dict[str, Any]:
    """What any process of the study needs to make a run."""
    record = arguments.record
    options = [
        *run.options,
        *("--split", arguments.split, "--resume"),
        *(("--record", str(record)) if record else ()),
        *("--data-dir", str(arguments.data_dir)),
        *("--embeddings", *run.vectors),
        *device_options(arguments),
        *("--output-dir", str(arguments.output_dir / run.name)),
    ]
    return {
        "paper": run.paper or paper,
        "options": options,
        "keep_models": arguments.keep_models,
    }


def make(job: dict[str, Any]) -> bool:
    """Makes a run; True if that worked."""
    forget_models()
    options = job["options"]
    if run_command(experiment_of(job["paper"]), options):
        return False
    if not job["keep_models"]:
        keep_only(Path(options[-1]), SMALL)
    return True
