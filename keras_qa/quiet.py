"""Keeps TensorFlow's notes about the machine from the user of a command.

`TF_CPP_MIN_LOG_LEVEL` does not silence what TensorFlow 2.21 writes while it is
imported: which processor it found, and that there is no GPU.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from types import ModuleType

# What TensorFlow's C++ log writes: a severity with a date, or a line that
# comes with such a message.
_NOTE = re.compile(
    rb"[IWE]\d{4} \d\d:\d\d:\d\d.*"
    rb"|WARNING: All log messages before absl::InitializeLog.*"
    rb"|To enable the following instructions: .*"
)


def silence_tensorflow() -> None:
    """Drops the log messages of TensorFlow's start, when it is imported.

    Everything else on standard error stays, and all of it if the import
    fails. Later messages are dropped by `TF_CPP_MIN_LOG_LEVEL=3`, unless the
    user has set another level; with 0, nothing is dropped.
    """
    level = os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    known = any(isinstance(finder, _QuietFinder) for finder in sys.meta_path)
    if level != "0" and not known and "tensorflow" not in sys.modules:
        sys.meta_path.insert(0, _QuietFinder())


class _QuietFinder(importlib.abc.MetaPathFinder):
    """Finds TensorFlow with a loader that drops its log messages."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _QuietLoader(spec.loader)
        return spec


class _QuietLoader(importlib.abc.Loader):
    def __init__(self, loader: importlib.abc.Loader):
        self._loader = loader

    def create_module(
        self, spec: importlib.machinery.ModuleSpec
    ) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._loader
        with _without_notes():
            self._loader.exec_module(module)


@contextmanager
def _without_notes() -> Iterator[None]:
    """While it is open, standard error is kept; at its end, what is no note.

    The messages come from C++, so that the file descriptor is redirected.
    """
    sys.stderr.flush()
    standard_error = os.dup(2)
    done = False
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
            done = True
        finally:
            sys.stderr.flush()
            os.dup2(standard_error, 2)
            os.close(standard_error)
            kept.seek(0)
            for line in kept:
                if not (done and _NOTE.match(line)):
                    os.write(2, line)
