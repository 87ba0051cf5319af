"""The processes of a training on several machines, one on each.

All run the same program with the same seeds. The first writes the run's folder,
which all must be able to read.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from keras_qa.errors import DevicesError
from keras_qa.files.checks import read_toml

# Keras's own variable, by which machines can share a file.
PROCESS_ID = "KERAS_DISTRIBUTION_PROCESS_ID"


@dataclass(frozen=True)
class Hosts:
    """The content of a file for `--hosts`.

    Attributes:
        coordinator: address and port of the first process, such as
            `"10.0.0.1:8476"`, which all others can reach.
        processes: the number of processes.
        process: the number of this process, from 0; None takes that of the
            environment variable `KERAS_DISTRIBUTION_PROCESS_ID`.
    """

    coordinator: str
    processes: int
    process: int | None = None

    def __post_init__(self) -> None:
        host, _, port = self.coordinator.rpartition(":")
        if not (host and port.isdecimal()):
            raise ValueError(
                "`coordinator` must be an address and a port, such as "
                f"10.0.0.1:8476. Received: {self.coordinator!r}"
            )
        if self.processes < 1:
            raise ValueError(
                f"`processes` must be positive. Received: {self.processes}"
            )
        if self.process is not None and not 0 <= self.process < self.processes:
            raise ValueError(
                f"`process` must be from 0 to {self.processes - 1}. "
                f"Received: {self.process}"
            )


def read_hosts(path: Path) -> Hosts:
    """Reads a TOML file of `Hosts`; this process's number is never None.

    Raises:
        DevicesError: if the file is missing or malformed, or no number is
            given.
    """
    try:
        hosts: Hosts = read_toml(path, Hosts, DevicesError)
    except OSError as error:
        raise DevicesError(
            f"{path}: expected a file of hosts. Received: {error}"
        ) from error
    if hosts.process is not None:
        return hosts
    number = os.environ.get(PROCESS_ID, "")
    if not number.isdecimal() or int(number) >= hosts.processes:
        raise DevicesError(
            f"{path}: expected `process`, or the variable {PROCESS_ID}, from 0 "
            f"to {hosts.processes - 1}. Received: {PROCESS_ID}={number!r}"
        )
    return Hosts(hosts.coordinator, hosts.processes, int(number))


_joined: Hosts | None = None


def join_hosts(hosts: Hosts) -> None:
    """Connects this process with the others, which it waits for.

    It must be called before JAX computes anything, and does nothing if the
    process has joined the same hosts before.

    Args:
        hosts: with the number of this process.

    Raises:
        DevicesError: if Keras does not run on JAX, if the others do not come,
            or if the process has joined other hosts.
    """
    global _joined
    if _joined == hosts:
        return
    if _joined is not None:
        raise DevicesError(
            f"a process can join hosts once. Received: {hosts}, after {_joined}"
        )
    # Imported here because rankers without Keras write folders, too.
    import keras

    from keras_qa.devices import check_jax

    check_jax()
    try:
        keras.distribution.initialize(
            hosts.coordinator, hosts.processes, hosts.process
        )
    except (RuntimeError, ValueError) as error:
        raise DevicesError(
            f"expected to reach {hosts.processes} processes by "
            f"{hosts.coordinator}. Received: {error!s:.300}"
        ) from error
    _joined = hosts


def is_first() -> bool:
    """True in the process that writes: the first, or the only one."""
    return _joined is None or _joined.process == 0


def wait_for_all() -> None:
    """Waits until all processes are here; they must call it equally often."""
    if _joined is None or _joined.processes == 1:
        return
    from jax.experimental.multihost_utils import sync_global_devices

    sync_global_devices("keras_qa")
