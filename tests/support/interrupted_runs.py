"""Small runs of every paper, in processes that can be killed.

They are forked from a server that has imported all modules that experiments
need, so that no process waits for TensorFlow's import.
"""

import csv
import importlib
import json
import multiprocessing
import os
import signal
import sys
from multiprocessing.process import BaseProcess
from pathlib import Path

from support.eager_training import train_eagerly

_SMALL = {"skipgram_dim": 6, "skipgram_epochs": 2, "smoke_questions": 6}

# Of recurrent models, which step from word to word.
_SHORT = {"max_question_length": 8, "max_answer_length": 8}

# Settings that make an experiment quick, with several epochs.
SCRIPTS = {
    "ctrn": {
        **{"projection_dim": 6, "units": 4, "hidden_units": 4},
        "smoke_epochs": 3,
    },
    "hyperqa": {"projection_dim": 6, "smoke_epochs": 4},
    "iam": {
        **{"units": 3, "layers": 1, "hidden_units": 4, "batch_size": 100},
        **{"smoke_epochs": 2, "decay_epochs": 1, **_SHORT},
    },
    "mrnn": {
        **{"filters": 4, "blocks": 2, "max_document_length": 16},
        **{"batch_size": 4, "chunk": None, "smoke_epochs": 3, "dropout": 0.1},
    },
    "qa_lstm": {
        **{"units": 3, "negatives": 2, "dropout": 0.1, "smoke_epochs": 3},
        **_SHORT,
    },
}

# The entries that differ between runs of the same seed; the checksum is of
# scores, too.
TIMES = ("seconds", "seconds_per_epoch", "run_sha256", "versions")

_FILE_EVENTS = ("open", "os.mkdir", "os.remove", "os.rename", "os.rmdir")
_FORKS = multiprocessing.get_context("forkserver")


def start(
    paper: str,
    folder: Path,
    *options: str,
    kill_at: int | None = None,
    export: bool = True,
) -> BaseProcess:
    """Starts a run.

    Args:
        paper: one of `SCRIPTS`.
        folder: the run's output folder; output is appended to a `.log` file
            next to it.
        *options: further options of the command.
        kill_at: the process kills itself before this access to a file of the
            folder, counted from 0. A run that ends writes the number of
            accesses to an `.accesses` file next to the folder.
        export: True if the model is exported at the end.
    """
    _FORKS.set_forkserver_preload(
        [
            *(f"reproductions.{paper}.experiment" for paper in sorted(SCRIPTS)),
            "reproductions.harness.run",
            "reproductions.harness.fitting",
            "reproductions.iam.stages",
            "reproductions.mrnn.texts",
            "keras_qa.models",
        ]
    )
    settings = {**_SMALL, **SCRIPTS[paper]}
    arguments = [
        *("--smoke", "--resume", "--split=dev", f"--output-dir={folder}"),
        *(f"--set={name}={json.dumps(settings[name])}" for name in settings),
        *options,
    ]
    process = _FORKS.Process(
        target=_run, args=(paper, arguments, folder, kill_at, export)
    )
    process.start()
    return process


def run(paper: str, folder: Path, *options: str, **more) -> int:
    """Runs until the process ends or kills itself; returns the exit code."""
    process = start(paper, folder, *options, **more)
    process.join()
    return process.exitcode


def printed(folder: Path) -> str:
    """The output of all runs of a folder."""
    return folder.with_suffix(".log").read_text()


def accesses(folder: Path) -> int:
    """The number of file accesses of the last run that was not killed."""
    return int(folder.with_suffix(".accesses").read_text())


def result(folder: Path) -> dict[str, object]:
    """The metrics, epochs, rankings and file names of a finished run.

    Scores are left out: a resumed run may compile for other shapes than an
    uninterrupted one, and then sum in another order.
    """
    metrics = json.loads((folder / "metrics.json").read_text())
    lines = (folder / "run.trec").read_text().splitlines()
    # Question, Q0, answer, rank, score, name of the run.
    ranked = [line.split()[:4] for line in lines]
    names = sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if "saved_model/" not in str(path)
    )
    with (folder / "history.csv").open(newline="") as file:
        epochs = list(csv.DictReader(file))
    return _timeless(
        {"metrics": metrics, "epochs": epochs, "ranked": ranked, "names": names}
    )


def _timeless(found: object) -> object:
    if isinstance(found, dict):
        return {k: _timeless(v) for k, v in found.items() if k not in TIMES}
    return list(map(_timeless, found)) if isinstance(found, list) else found


def _run(paper, arguments, folder, kill_at, export) -> None:
    with folder.with_suffix(".log").open("a") as log:
        for stream in (1, 2):
            os.dup2(log.fileno(), stream)
    done = 0

    def count(event: str, values: tuple[object, ...]) -> None:
        nonlocal done
        if event in _FILE_EVENTS and str(values[0]).startswith(str(folder)):
            if done == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            done += 1

    script = importlib.import_module(f"reproductions.{paper}.experiment")
    if not export:
        train_eagerly(True)
        fitting = importlib.import_module("reproductions.harness.fitting")
        fitting.export_run = lambda run, scorer: None
    sys.addaudithook(count)
    status = script.main(arguments)
    folder.with_suffix(".accesses").write_text(str(done))
    sys.exit(status)
