"""Arrays of shards, mapped into memory, and how many of them stay open."""

import errno
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic
from typing import TypeVar

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.files.text_files import shorten

T = TypeVar("T")


def _mapped() -> int:
    """Half of the files that the process may open, 1,024 on most systems."""
    try:
        import resource
    except ImportError:
        return 512
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 16 if most == resource.RLIM_INFINITY else max(1, most // 2)


# Number of shards whose vectors stay mapped into memory, each by an open file.
MAPPED = _mapped()
# NumPy reads a file's header by a parser that fails at random in threads of
# Python 3.11 (python/cpython#106905).
_HEADERS = threading.Lock()


class MappedShards(Generic[T]):
    """The shards whose files stay open: the `MAPPED` opened last.

    Threads may share it.
    """

    def __init__(self) -> None:
        self._found: dict[int, T] = {}
        self._lock = threading.Lock()

    def get(self, number: int, load: Callable[[int], T]) -> T:
        """The shard of a number, which `load` opens if it is not open."""
        with self._lock:
            found = self._found.get(number)
        if found is None:
            found = load(number)
            with self._lock:
                while len(self._found) >= MAPPED:
                    del self._found[next(iter(self._found))]
                self._found[number] = found
        return found


def mapped_array(path: Path, dtype: np.dtype, ndim: int) -> np.ndarray:
    """The array of a `.npy` file, mapped into memory."""
    try:
        with _HEADERS:
            found = np.lib.format.open_memmap(path, mode="r")
        if found.dtype != dtype or found.ndim != ndim:
            raise ValueError(f"{found.dtype} {found.shape}")
    # NumPy raises many types of errors for bad files.
    except Exception as error:
        if getattr(error, "errno", None) == errno.EMFILE:
            # The file is sound.
            raise SearchError(
                f"{path}: expected a process that may open as many files as "
                "its indexes have shards (`ulimit -n`). Received: "
                f"{error}"
            ) from error
        raise SearchError(
            f"{path}: expected an array of {dtype}, {ndim}-dimensional. "
            f"Received: {shorten(str(error))}"
        ) from error
    return found
