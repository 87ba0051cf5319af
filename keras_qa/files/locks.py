"""Locks between processes: a file that one at a time may change, and owners.

They are `flock` locks, which end with the process that holds them, however it
ends. On Linux they hold between the machines of an NFS mount, too, where its
server keeps locks; on a mount with `nolock` or `local_lock`, only between the
processes of one machine.
"""

import fcntl
import json
import os
import shlex
import socket
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from datetime import UTC
from datetime import datetime
from pathlib import Path

from keras_qa.errors import OwnedError

RUNNING = "running.json"
"""Name of the file by which a folder is owned."""

# Whoever looks for an owner holds the lock for a moment.
ATTEMPTS, PAUSE = 5, 0.1  # seconds
_LONGEST = 1000  # characters that are shown of an owner


@contextmanager
def locked(path: Path | str) -> Iterator[int]:
    """Waits for a file and keeps others that call this from it.

    The file may be replaced meanwhile: the next one gets the new file.

    Args:
        path: the file, made if it does not exist.

    Yields:
        A descriptor of the file, to read and to append.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            try_lock(descriptor, fcntl.LOCK_EX, path)
            if _is_at(path, descriptor):
                yield descriptor
                return
        finally:
            os.close(descriptor)


class OwnerFile:
    """A file that one process owns while it lives, and that says which.

    Args:
        path: the file. It is there while it is owned, and may stay behind a
            process that was killed, of which the next owner takes no notice.
    """

    def __init__(self, path: Path):
        self.path = path
        self._descriptor: int | None = None

    @property
    def owned(self) -> bool:
        """Whether this object owns it."""
        return self._descriptor is not None

    def check(self) -> None:
        """Raises an OwnedError if the file has an owner, this one or other."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return
        try:
            if not try_lock(
                descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB, self.path
            ):
                raise OwnedError(_owner(self.path))
        finally:
            os.close(descriptor)

    def take(self) -> None:
        """Becomes the owner.

        Raises:
            OwnedError: if there is another one.
            OSError: if the file cannot be written.
        """
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(PAUSE)
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                # The last owner may have removed the file in between.
                if try_lock(
                    descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, self.path
                ) and _is_at(self.path, descriptor):
                    _describe(descriptor, self.path)
                    self._descriptor = descriptor
                    return
            finally:
                if self._descriptor is None:
                    os.close(descriptor)
        raise OwnedError(_owner(self.path))

    def release(self) -> None:
        """Gives it up, if it is owned, and removes the file."""
        if self._descriptor is not None:
            # Before the lock: nobody may take what is about to vanish.
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None


@contextmanager
def owned_folder(folder: Path) -> Iterator[None]:
    """Keeps a folder from other processes that call this, in a `with` block.

    Args:
        folder: the folder, made if it does not exist.

    Raises:
        OwnedError: if a process has it already; the message says which.
        OSError: if the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    owner = OwnerFile(folder / RUNNING)
    try:
        owner.take()
    except OwnedError as error:
        raise OwnedError(
            f"{folder} is being written to; wait for the end of that, or give "
            f"another --output. Received: {error}"
        ) from error
    try:
        yield
    finally:
        owner.release()


def try_lock(descriptor: int, kind: int, path: Path) -> bool:
    """Locks an open file.

    Args:
        descriptor: the file.
        kind: what `fcntl.flock` takes.
        path: its path, for the warning.

    Returns:
        Whether the lock was to be had; true, with a warning, where there are
        none.
    """
    try:
        fcntl.flock(descriptor, kind)
    except BlockingIOError:
        return False
    except OSError as error:
        warnings.warn(
            f"{path}: this file system has no locks ({error}); see to it that "
            "no two processes write to it at once.",
            stacklevel=3,
        )
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether an open file is the one that has the path now."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _describe(descriptor: int, path: Path) -> None:
    """Writes who this process is."""
    text = json.dumps(
        {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": shlex.join(sys.orig_argv),
        },
        indent=2,
    )
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, text.encode())
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _owner(path: Path) -> str:
    """What the owner says about itself."""
    try:
        found = json.loads(path.read_text("utf-8"))
        text = (
            f"process {found['pid']} on {found['host']} since "
            f"{found['started']}: {found['command']}"
        )
    # The last is of JSON that is nested too deep.
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "another process"
    # The file may hold what no terminal could print.
    return text.encode("utf-8", "backslashreplace").decode()[:_LONGEST]
