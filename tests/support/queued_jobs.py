"""A process that works through a queue of jobs which only note themselves.

python -m support.queued_jobs QUEUE RECORD COMMAND...
"""

import os
import signal
import sys
import time
from pathlib import Path

from keras_qa.files.locks import locked
from reproductions.harness.studies import workers
from reproductions.harness.studies.queue import Queue


def note(path, text):
    """Appends a line."""
    with locked(path) as descriptor:
        os.write(descriptor, f"{text}\n".encode())


def make(job):
    """Does a job: kills its process the first time, fails, or is quick."""
    record, name, how = Path(job["record"]), job["name"], job["how"]
    begun = record.with_name(f"{name}.begun")
    note(begun, os.getpid())
    print(f"{name} begins")
    if how == "killed" and len(begun.read_text().split()) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "fails":
        raise ValueError(f"{name} cannot be made")
    time.sleep(0.05)
    note(record, name)
    return True


if __name__ == "__main__":
    workers.PAUSE = 0.05
    workers.work(Queue(Path(sys.argv[1]), retries=1), make)
