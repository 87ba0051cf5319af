"""Several processes behind one port, each with a ranker of its own.

uvicorn starts the processes, looks whether they live, and replaces those that
do not. It wants an application that each of them can make by its name, so the
settings travel in the environment.
"""

import json
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from keras_qa.errors import KerasQAError
from keras_qa.errors import TextWarning
from keras_qa.export.onnx_model import THREADS
from keras_qa.quiet import silence_tensorflow
from keras_qa.ranker import Ranker
from keras_qa.serving.app import make_app
from keras_qa.serving.rerank import Limits
from keras_qa.serving.server import GRACE
from keras_qa.serving.server import SWITCH
from keras_qa.serving.server import impatient_protocol
from keras_qa.serving.server import listening

_SETTINGS = "KERAS_QA_SERVE"

# Seconds that a worker may take to answer whether it lives. It may be importing
# TensorFlow on a busy machine.
_ALIVE = 30

# Seconds until the next attempt, if a worker cannot load the model any more.
_AGAIN = 5


@dataclass(frozen=True)
class Served:
    """What each worker serves.

    Attributes:
        model: the ranker's folder.
        name: the model's name in responses.
        limits: the largest requests; `waiting` counts for each worker.
        tokenizer: see `Ranker.load`.
        readable: see `Ranker.load`.
    """

    model: Path
    name: str
    limits: Limits
    tokenizer: str | None = None
    readable: str | None = None


def serve_workers(served: Served, host: str, port: int, workers: int) -> None:
    """Serves a ranker on HTTP by several processes, until SIGINT or SIGTERM.

    Each process loads the model and computes with its share of the cores, and a
    connection stays with one of them. One that ends is replaced; all end with
    this process. After the signal, no
    connection is accepted, and requests that have begun are answered.

    Args:
        served: what to serve. This process does not check that it can be.
        host: address or name to listen at.
        port: port to listen at; 0 takes a free one.
        workers: number of processes, at least 2.

    Raises:
        OSError: if the address cannot be listened at.
    """
    settings = {**asdict(served), "model": str(served.model.resolve())}
    os.environ[_SETTINGS] = json.dumps(settings)
    # Threads of several processes would wait for each other's cores.
    threads = max(1, _cores() // workers)
    for name in (THREADS, "TF_NUM_INTRAOP_THREADS"):
        os.environ.setdefault(name, str(threads))
    with listening(host, port) as one:
        uvicorn.run(
            f"{__name__}:make_worker_app",
            factory=True,
            fd=one.fileno(),
            workers=workers,
            http=impatient_protocol(served.limits.receive_seconds),
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=GRACE,
            timeout_worker_healthcheck=_ALIVE,
            server_header=False,
        )


def make_worker_app() -> ASGIApp:
    """The application of a worker, which the environment describes.

    Raises:
        SystemExit: if the model cannot be loaded; then uvicorn tries again,
            and the other workers go on.
    """
    settings = json.loads(os.environ[_SETTINGS])
    limits = Limits(**settings.pop("limits"))
    served = Served(**settings, limits=limits)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.setswitchinterval(SWITCH)
    silence_tensorflow()
    warnings.simplefilter("ignore", TextWarning)
    try:
        ranker = Ranker.load(served.model, served.tokenizer, served.readable)
    except (KerasQAError, ImportError, OSError) as error:
        print(f"keras-qa: {error}", file=sys.stderr, flush=True)
        time.sleep(_AGAIN)
        sys.exit(1)
    return make_app(ranker, served.name, served.limits)


def _cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _end_with_parent() -> None:
    """Stops this process when the one that started it has been killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
