"""Hides messages of libraries to the standard streams of a command.

`TF_CPP_MIN_LOG_LEVEL` does not silence those that the C++ code of TensorFlow
2.21 writes about the processor and about a missing GPU, nor anything those of
FAISS about lists on disk. Python code of TensorFlow warns of functions that are
traced again, as a model is for each length to which texts are padded.
"""

import ctypes
import importlib.abc
import importlib.machinery
import importlib.util
import logging
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from types import ModuleType

# Lines of TensorFlow's C++ log: a severity with a date, or a line that comes
# with such a message.
_NOTE = re.compile(
    rb"[IWE]\d{4} \d\d:\d\d:\d\d.*"
    rb"|WARNING: All log messages before absl::InitializeLog.*"
    rb"|To enable the following instructions: .*"
)


def silence_tensorflow() -> None:
    """Drops the log messages of a later import of TensorFlow.

    Other output on standard error stays; if the import fails, all of it
    stays. `TF_CPP_MIN_LOG_LEVEL` is set to 3, which drops later messages,
    unless the user has set another level; with 0, nothing is dropped. Later
    warnings of functions that are traced again are dropped, too.
    """
    level = os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if level != "0":
        logging.getLogger("tensorflow").addFilter(_is_no_retracing)
    known = any(isinstance(finder, _QuietFinder) for finder in sys.meta_path)
    if level != "0" and not known and "tensorflow" not in sys.modules:
        sys.meta_path.insert(0, _QuietFinder())


def _is_no_retracing(record: logging.LogRecord) -> bool:
    """False for the warning that a function is traced again."""
    return "triggered tf.function retracing" not in record.getMessage()


@contextmanager
def without_c_output() -> Iterator[None]:
    """Drops what C code prints to standard output in the `with` block."""
    # C has a buffer of its own, which is written when it is flushed.
    flush = ctypes.CDLL(None).fflush
    sys.stdout.flush()
    flush(None)
    standard_output = os.dup(1)
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 1)
        try:
            yield
        finally:
            flush(None)
            os.dup2(standard_output, 1)
            os.close(standard_output)


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
        # Others may look for it, without importing it.
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            spec.loader = _QuietLoader(spec.loader, self)
        return spec


class _QuietLoader(importlib.abc.Loader):
    def __init__(self, loader: importlib.abc.Loader, finder: _QuietFinder):
        self._loader = loader
        self._finder = finder

    def create_module(
        self, spec: importlib.machinery.ModuleSpec
    ) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._loader
        with _without_notes():
            self._loader.exec_module(module)


@contextmanager
def _without_notes() -> Iterator[None]:
    """Holds standard error back; at its end writes all but TensorFlow's notes.

    C++ writes the notes, so the file descriptor is redirected. After an error
    in the `with` block the notes are written too.
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
