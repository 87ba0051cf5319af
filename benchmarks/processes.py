"""On how many cores the benchmarks run, and what else runs there."""

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def load_before(cores: int) -> tuple[float, float, float]:
    """The load averages before a benchmark; says so if they are high.

    Args:
        cores: on how many cores it will run.
    """
    load = os.getloadavg()
    if load[0] > cores / 2:
        print(f"the machine is busy (load {load[0]:.1f}): repeat later")
    return load


def settle(cores: int, backend: str | None = None) -> None:
    """Keeps this process to some cores, before it imports Keras.

    Args:
        cores: how many, of those that it may use.
        backend: Keras's backend; None leaves it as the environment says.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    if backend is not None:
        os.environ["KERAS_BACKEND"] = backend
    os.environ["TF_NUM_INTRAOP_THREADS"] = str(cores)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def alone(
    function: Callable[..., Any],
    *arguments: Any,
    cores: int,
    backend: str | None = None,
) -> Any:
    """What a function returns in a process of its own, see `settle`."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        1, spawn, initializer=settle, initargs=(cores, backend)
    ) as pool:
        return pool.submit(function, *arguments).result()
