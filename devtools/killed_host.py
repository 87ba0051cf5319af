"""Kills one of two processes that train together, and resumes the training.

    KERAS_BACKEND=jax python -m devtools.killed_host --output-dir DIR

prints when and how the other process ends, and the largest relative difference
between the losses of the resumed training and those of one process that nobody
killed. It takes some minutes, since JAX waits before it gives a process up.
"""

import argparse
import csv
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_qa.hosts import PROCESS_ID
from keras_qa.progress import ProgressBar

EPOCHS = 40
KILLED_AFTER = 2
RUN = (
    *("--smoke", "--resume", "--split", "dev"),
    *("--set", "skipgram_dim=6", "--set", "skipgram_epochs=2"),
    *("--set", "projection_dim=6", "--set", f"smoke_epochs={EPOCHS}"),
)


def start(folder: Path, number: int, *options: str) -> subprocess.Popen[bytes]:
    """Starts a process of a run, whose output is appended to a file."""
    command = [sys.executable, "-m", "reproductions.hyperqa", *RUN, *options]
    with folder.with_suffix(f".{number}.log").open("a") as log:
        return subprocess.Popen(
            [*command, "--output-dir", str(folder)],
            env={**os.environ, PROCESS_ID: str(number)},
            stdout=log,
            stderr=log,
        )


def losses(folder: Path) -> list[float]:
    """The losses of the epochs of a run so far."""
    path = folder / "history.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [float(row["loss"]) for row in csv.DictReader(file)]


def main(argv: Sequence[str] | None = None) -> int:
    """Trains three times and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output-dir", type=Path, required=True)
    parser.add_argument("--kill", type=int, choices=(0, 1), default=1)
    arguments = parser.parse_args(argv)
    alone, both = (arguments.output_dir / name for name in ("alone", "both"))
    both.mkdir(parents=True)
    file = arguments.output_dir / "hosts.toml"
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    file.write_text(f'coordinator = "127.0.0.1:{port}"\nprocesses = 2\n')
    hosts = ("--hosts", str(file))

    with ProgressBar(total=3, desc="Trainings", unit="training") as bar:
        failed = start(alone, 0).wait()
        bar.update()
        processes = [start(both, i, *hosts) for i in range(2)]
        while len(losses(both)) < KILLED_AFTER:
            if any(process.poll() is not None for process in processes):
                print("a process ended before the first epochs")
                return 1
            time.sleep(0.05)
        processes[arguments.kill].kill()
        started = time.perf_counter()
        other = processes[1 - arguments.kill].wait()
        waited = time.perf_counter() - started
        done = len(losses(both))
        bar.update()
        codes = [p.wait() for p in [start(both, i, *hosts) for i in range(2)]]
        bar.update()

    print(
        f"process {arguments.kill} killed; the other ended after {waited:.0f} "
        f"s with the code {other}, {done} of {EPOCHS} epochs done"
    )
    if failed or any(codes):
        print(f"alone: code {failed}; resumed: codes {codes}")
        return 1
    difference = np.max(np.abs(np.divide(losses(both), losses(alone)) - 1))
    print(f"{len(losses(both))} epochs; largest difference {difference:.1e}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
