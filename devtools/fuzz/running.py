"""Tries damaged files on a reader, with limits of time and memory."""

import re
import resource
import signal
import time
import traceback
import warnings
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from types import FrameType
from typing import NoReturn

from devtools.fuzz.structures import Case
from devtools.fuzz.target import Target

SECONDS = 5
"""Processor time that one input may take."""

FREE_BYTES = 1 << 25
"""Memory that any input may take: buffers, and what Python keeps."""

MULTIPLE = 64
"""Memory that an input may take besides, in its own length."""

ADDRESSES = 1 << 31
"""Addresses that a process may reserve beyond those it has."""

BATCH = 50
_LONGEST_MESSAGE = 2000
_STATUS = Path("/proc/self/status")


class TimedOut(BaseException):
    """An input took too long; readers that catch `Exception` let it pass."""


@dataclass
class Finding:
    """An input with a result other than data or an allowed error.

    Attributes:
        what: the result: a traceback, or what was wrong.
        case: the files by name.
    """

    what: str
    case: Case


@dataclass
class Tally:
    """Counts of the results of a target's inputs.

    Attributes:
        name: the target's name.
        inputs: number of inputs.
        data: number of inputs that were read.
        errors: number of inputs that were refused with an allowed error.
        seconds: CPU seconds.
        memory: largest memory that a batch of inputs took, in bytes; NaN if
            the system does not report it.
        findings: the other inputs.
    """

    name: str
    inputs: int = 0
    data: int = 0
    errors: int = 0
    seconds: float = 0.0
    memory: float = 0.0
    findings: list[Finding] = field(default_factory=list)


def run_target(
    target: Target, cases: Iterable[Case], folder: Path, tally: Tally
) -> None:
    """Tries inputs and counts the results.

    Args:
        target: the reader.
        cases: the inputs.
        folder: an empty folder for the inputs' files.
        tally: counts to add to.
    """
    # Imports first, so that they do not count as an input's memory.
    outcome(target, target.case(), folder)
    batch: list[Case] = []
    for case in cases:
        batch.append(case)
        if len(batch) == BATCH:
            _run_batch(target, batch, folder, tally)
            batch = []
    _run_batch(target, batch, folder, tally)


def _run_batch(
    target: Target, cases: list[Case], folder: Path, tally: Tally
) -> None:
    if not cases:
        return
    started = time.process_time()
    before = _reset_peak()
    for case in cases:
        _count(target, case, folder, tally)
    taken = max(0.0, _peak() - before)
    tally.seconds += time.process_time() - started
    tally.memory = max(tally.memory, taken)
    if taken > _allowed(max(cases, key=_size)):
        # Find the inputs of the batch that took too much.
        for case in cases:
            before = _reset_peak()
            outcome(target, case, folder)
            taken = max(0.0, _peak() - before)
            if taken > _allowed(case):
                what = f"{taken / 2**20:.0f} MiB for {_size(case)} bytes"
                tally.findings.append(Finding(what, case))


def _count(target: Target, case: Case, folder: Path, tally: Tally) -> None:
    found = outcome(target, case, folder)
    tally.inputs += 1
    if found == "data":
        tally.data += 1
    elif found == "error":
        tally.errors += 1
    else:
        tally.findings.append(Finding(found, case))


def outcome(target: Target, case: Case, folder: Path) -> str:
    """Tries one input.

    Args:
        target: the reader.
        case: the files by name.
        folder: where the files are written, after everything in it is removed.

    Returns:
        `"data"`, `"error"` for an allowed error with a good message, or else
        what was wrong.
    """
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    for name, data in case.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    try:
        with time_limit(SECONDS), warnings.catch_warnings():
            warnings.simplefilter("error")
            for category in target.warnings:
                warnings.simplefilter("ignore", category)
            target.read(folder)
    except target.errors as error:
        return _bad_message(str(error), folder) or "error"
    except TimedOut:
        return f"took more than {SECONDS} seconds"
    except Exception:
        return traceback.format_exc(limit=-4)
    return "data"


def _bad_message(message: str, folder: Path) -> str:
    """What is wrong with the message of an error; empty if nothing."""
    try:
        message.encode("utf-8")
    except UnicodeEncodeError:
        return f"a message that cannot be written: {message!r}"
    if not re.search(rf"{re.escape(str(folder))}[/:]", message):
        return f"a message without file: {message}"
    if "Received: " not in message:
        return f"a message without what was received: {message}"
    if len(message) > _LONGEST_MESSAGE:
        return f"a message of {len(message)} characters: {message[:300]}"
    return ""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises `TimedOut` after this many CPU seconds of this process."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise TimedOut

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def limit_addresses() -> None:
    """Bounds the further address space that this process may reserve.

    A header that promises a billion rows then fails at once, even if the system
    overcommits memory.
    """
    used = _status("VmSize:")
    if used == used:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (int(used) + ADDRESSES, hard))


def _size(case: Case) -> int:
    return sum(map(len, case.values()))


def _allowed(case: Case) -> int:
    return FREE_BYTES + MULTIPLE * _size(case)


def _reset_peak() -> float:
    """Resets the peak of resident memory; returns the present, in bytes."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return float("nan")
    return _status("VmRSS:")


def _peak() -> float:
    return _status("VmHWM:")


def _status(name: str) -> float:
    """A field of the process's status, in bytes; NaN without `/proc`."""
    try:
        fields = _STATUS.read_text().split()
    except OSError:
        return float("nan")
    return 1024.0 * int(fields[fields.index(name) + 1])
