"""Cores, load and processes of the benchmarks."""

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def load_before(cores: int) -> tuple[float, float, float]:
    """Returns the load averages before a benchmark; warns if they are high.

    Args:
        cores: number of cores that the benchmark will use.
    """
    load = os.getloadavg()
    if load[0] > cores / 2:
        print(f"the machine is busy (load {load[0]:.1f}): repeat later")
    return load


def settle(cores: int, backend: str | None = None) -> None:
    """Restricts this process to some cores; call it before importing Keras.

    Args:
        cores: number of cores.
        backend: Keras's backend; None for that of the environment.
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
    """Calls a function in a separate process that `settle` prepares."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        1, spawn, initializer=settle, initargs=(cores, backend)
    ) as pool:
        return pool.submit(function, *arguments).result()
