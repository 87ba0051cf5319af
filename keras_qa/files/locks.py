"""Locks between processes: exclusive access to files, and owners of folders.

They are the `flock` locks of the package filelock, which are released when the
process that holds them ends, in whatever way. On Linux they also work between
the machines of an NFS mount if its server supports locks; on a mount with
`nolock` or `local_lock`, only between the processes of one machine.
"""

import errno
import json
import os
import shlex
import socket
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from datetime import UTC
from datetime import datetime
from pathlib import Path

from filelock import FileLock
from filelock import Timeout

from keras_qa.errors import OwnedError
from keras_qa.files.checks import read_json

RUNNING = "running.json"
"""Name of the file by which a folder is owned."""

# `OwnerFile.check` holds the lock for a moment.
PATIENCE = 0.4  # seconds
_LONGEST = 1000  # characters of an owner's description in messages
# Errors of `flock` on file systems without locks.
_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP)


@contextmanager
def locked(path: Path | str) -> Iterator[int]:
    """Waits for exclusive access to a file among callers of this function.

    If the file is replaced meanwhile, the next process gets the new file.

    Args:
        path: the file, created if it does not exist.

    Yields:
        A descriptor of the file, to read and to append.
    """
    # The lock's file follows no link.
    path = Path(path).resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = _lock(path)
    _acquire(lock)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
    finally:
        lock.release()


def read_locked(path: Path | str) -> bytes:
    """Reads a file while no process has it `locked`.

    Raises:
        FileNotFoundError: if the file does not exist.
    """
    path = Path(path).resolve()
    path.stat()
    lock = _lock(path)
    # A read-only file cannot be locked, but can be read.
    with suppress(OSError):
        _acquire(lock)
    try:
        return path.read_bytes()
    finally:
        lock.release()


class OwnerFile:
    """A file that at most one process owns, and that describes the owner.

    Args:
        path: the file, which exists while it is owned. A killed process leaves
            it behind unlocked, and the next owner overwrites it.

    Attributes:
        owned: True while this object is the owner.
    """

    def __init__(self, path: Path):
        self.path = path
        self._lock = _lock(path)
        self.owned = False

    def check(self, patience: float = PATIENCE) -> None:
        """Raises an OwnedError if this object or a process is the owner.

        Args:
            patience: seconds to wait for another process that checks, too.
        """
        # A new lock object, since an object's lock can be acquired twice.
        lock = _lock(self.path)
        # A lock cannot be tried on a read-only file system.
        with suppress(OSError):
            if self.path.exists() and not _acquire(lock, patience):
                raise OwnedError(_owner(self.path))
            lock.release()

    def take(self) -> None:
        """Becomes the owner.

        Raises:
            OwnedError: if there is another owner.
            OSError: if the file cannot be written.
        """
        if not _acquire(self._lock, PATIENCE):
            raise OwnedError(_owner(self.path))
        self.owned = True
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
            # Not replaced, since the lock is on the existing file.
            self.path.write_text(text, "utf-8")
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Removes the file and releases the lock, if this object owns them."""
        if self.owned:
            # First, so that no process locks a file that is then removed.
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            self._lock.release()
            self.owned = False


@contextmanager
def owned_folder(folder: Path) -> Iterator[None]:
    """Context manager of exclusive access to a folder among its callers.

    Args:
        folder: the folder, created if it does not exist.

    Raises:
        OwnedError: if another process owns it; the message names the process.
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


def _lock(path: Path) -> FileLock:
    # Any thread may release the lock, and no soft lock, which a killed process
    # would leave locked, may replace `flock`.
    return FileLock(path, thread_local=False, fallback_to_soft=False)


def _acquire(lock: FileLock, timeout: float = -1) -> bool:
    """Acquires a lock; returns False if it is not free within the seconds.

    On a file system without locks, it returns True with a warning.
    """
    try:
        lock.acquire(timeout)
    except Timeout:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        warnings.warn(
            f"{lock.lock_file}: this file system has no locks ({error}); see "
            "to it that no two processes write to it at once.",
            stacklevel=4,
        )
    return True


def _owner(path: Path) -> str:
    """The description of the owner in its file."""
    try:
        found = read_json(path, dict[str, str | int], ValueError)
        text = (
            f"process {found['pid']} on {found['host']} since "
            f"{found['started']}: {found['command']}"
        )
    except (ValueError, KeyError):
        return "another process"
    return text[:_LONGEST]
