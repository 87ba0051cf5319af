"""Locks between processes: a file that one at a time may change, and owners.

They are the `flock` locks of the package filelock, which end with the process
that holds them, however it ends. On Linux they hold between the machines of an
NFS mount, too, where its server keeps locks; on a mount with `nolock` or
`local_lock`, only between the processes of one machine.
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

# Whoever looks for an owner holds the lock for a moment.
PATIENCE = 0.4  # seconds
_LONGEST = 1000  # characters that are shown of an owner
# What `flock` says on file systems without locks.
_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP)


@contextmanager
def locked(path: Path | str) -> Iterator[int]:
    """Waits for a file and keeps others that call this from it.

    The file may be replaced meanwhile: the next process gets the new file.

    Args:
        path: the file, made if it does not exist.

    Yields:
        A descriptor of the file, to read and to append.
    """
    path = Path(path)
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
    """Reads a file while nobody writes to it who calls `locked`.

    Raises:
        FileNotFoundError: if there is no such file.
    """
    path = Path(path)
    path.stat()
    lock = _lock(path)
    # A file that is read-only cannot be locked, but read.
    with suppress(OSError):
        _acquire(lock)
    try:
        return path.read_bytes()
    finally:
        lock.release()


class OwnerFile:
    """A file that one process owns while it lives, and that says which.

    Args:
        path: the file. It exists while it is owned. A process that is killed
            leaves it behind, and the next owner overwrites it.
    """

    def __init__(self, path: Path):
        self.path = path
        self._lock = _lock(path)
        self.owned = False

    def check(self) -> None:
        """Raises an OwnedError if this object or a process is the owner."""
        # A new lock, since the own one could be taken a second time.
        lock = _lock(self.path)
        # Where nothing can be written, no lock can be tried.
        with suppress(OSError):
            if self.path.exists() and not _acquire(lock, PATIENCE):
                raise OwnedError(_owner(self.path))
            lock.release()

    def take(self) -> None:
        """Becomes the owner.

        Raises:
            OwnedError: if there is another one.
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
            # The same file as before, which is the one that is locked.
            self.path.write_text(text, "utf-8")
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Gives the file up, if it is owned, and removes it."""
        if self.owned:
            # Before the lock: nobody may take what is about to vanish.
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            self._lock.release()
            self.owned = False


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


def _lock(path: Path) -> FileLock:
    # Another thread may release the lock; and a soft lock, which a killed
    # process would leave locked, must not take the place of `flock`.
    return FileLock(path, thread_local=False, fallback_to_soft=False)


def _acquire(lock: FileLock, timeout: float = -1) -> bool:
    """Returns True if the lock was free within the seconds.

    Where the file system has no locks: True, with a warning.
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
    """What the owner says about itself."""
    try:
        found = read_json(path, dict[str, str | int], ValueError)
        text = (
            f"process {found['pid']} on {found['host']} since "
            f"{found['started']}: {found['command']}"
        )
    except (ValueError, KeyError):
        return "another process"
    return text[:_LONGEST]
