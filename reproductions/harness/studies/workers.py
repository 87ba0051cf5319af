"""Processes that work through a queue until no job is left."""

import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Sequence
from contextlib import redirect_stderr
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from keras_qa.progress import ProgressBar
from reproductions.harness.studies.queue import Queue

# As many first tries that fail in a row end a worker: what all jobs need is
# likely to be missing.
FAILURES = 3
# Seconds between looks at what other processes do.
PAUSE = 1.0
# One thread for each worker, by the names that TensorFlow, OpenMP, OpenBLAS and
# XLA's runtime for CPUs read.
THREADS = (
    *("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"),
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NPROC"),
)
# The signals at which a worker puts its job back and ends.
STOPS = (signal.SIGINT, signal.SIGTERM)

Make = Callable[[Any], bool]
Look = Callable[[], None]


def work(queue: Queue, make: Make, look: Look = lambda: None) -> None:
    """Does the jobs of a queue, one after the other.

    It waits while other processes work, and takes up the jobs of those that
    are killed. What a job prints goes to its log.

    Args:
        queue: the queue.
        make: does a job, given the JSON values that say what; True if it is
            done, False or an exception if it has failed.
        look: called after each job and while waiting.
    """
    failures, making, asked = 0, False, False

    def stop(number: int, frame: Any) -> None:
        nonlocal asked
        asked = True
        # The queue's files are never left in the middle of a change.
        if making:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in STOPS}
    try:
        while failures < FAILURES and not asked:
            job = queue.take()
            look()
            if job is None:
                if not queue.running():
                    return
                time.sleep(PAUSE)
                continue
            done: bool | None = None
            try:
                making = True
                if not asked:
                    done = _logged(log_of(queue, job.name), make, job.work)
            finally:
                making = False
                queue.end(job, done)
            failures = 0 if done else failures + job.first
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if asked:
        raise KeyboardInterrupt


def log_of(queue: Queue, name: str) -> Path:
    """The file with what a job has printed, in all tries."""
    return queue.folder / "logs" / f"{name}.log"


def _logged(path: Path, make: Make, what: Any) -> bool:
    path.parent.mkdir(exist_ok=True)
    with (
        path.open("a", encoding="utf-8", buffering=1) as log,
        redirect_stdout(log),
        redirect_stderr(log),
    ):
        try:
            return make(what)
        except (Exception, SystemExit):
            # A mistake in one run is no reason not to make the others.
            traceback.print_exc()
            return False


def work_in_processes(
    command: Sequence[str], workers: int, folder: Path, look: Look
) -> None:
    """Starts processes of one thread each and waits for their end.

    Args:
        command: what each process runs.
        workers: their number.
        folder: what they print themselves goes to `workers.log` here.
        look: called every second.
    """
    environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
    with (folder / "workers.log").open("a") as log:
        processes = [
            subprocess.Popen(
                command,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Ctrl-C in a terminal would reach them twice.
                start_new_session=True,
            )
            for _ in range(workers)
        ]
        # A worker does not end because this process does.
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            while any(process.poll() is None for process in processes):
                look()
                time.sleep(PAUSE)
        finally:
            signal.signal(signal.SIGTERM, before)
            for process in processes:
                if process.poll() is None:
                    process.send_signal(signal.SIGINT)
            for process in processes:
                process.wait()


def make_all(
    queue: Queue,
    names: Collection[str],
    make: Make,
    workers: int = 1,
    command: Sequence[str] = (),
) -> int:
    """Does the jobs of a queue here, or in processes of their own.

    Args:
        queue: the queue, with the jobs.
        names: the names of the jobs to be counted.
        make: see `work`.
        workers: the number of processes; 1 works here, with as many threads
            as usual.
        command: what each of several processes runs.

    Returns:
        0, or 1 if a job is not done; which have failed, why, and where their
        logs are, is printed.
    """
    with ProgressBar(total=len(names), unit="run") as bar:

        def look() -> None:
            found = {*queue.done(), *queue.given_up()}.intersection(names)
            bar.update(len(found) - bar.n)

        if workers == 1:
            work(queue, make, look)
        else:
            work_in_processes(command, workers, queue.folder, look)
        look()
    failed = [name for name in queue.failed() if name in names]
    for name in failed:
        path = log_of(queue, name)
        log = path.read_text("utf-8").splitlines() if path.exists() else []
        last = log[-1] if log else "killed"
        print(f"failed: {name}: {last}\n  {path}", file=sys.stderr)
    ended = {*queue.done(), *queue.given_up()}
    if left := len(names) - len(ended.intersection(names)):
        are = "run is" if left == 1 else "runs are"
        print(f"{left} {are} left", file=sys.stderr)
    return int(bool(failed or left))
