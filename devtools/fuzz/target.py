"""Targets of fuzzing: a reader, valid files and the allowed errors."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from devtools.fuzz.structures import Case
from devtools.fuzz.structures import Cases


@dataclass(frozen=True)
class Target:
    """A reader to fuzz.

    Attributes:
        name: the target's name.
        case: makes the valid files, by their names in a folder.
        read: reads the folder to its end; raises `TypeError` if the result is
            not valid data.
        errors: the kit's errors that the reader may raise.
        inputs: number of inputs of `python -m devtools.fuzz`.
        words: pieces of the files' format.
        gzipped: True if the files' names may end with `.gz`.
        structured: a hypothesis strategy of well-formed files with other
            values, made from the valid files.
        warnings: categories of the warnings that the reader may issue.
        guided: the file that a fuzzer guided by coverage damages, if any.
        share: part of the inputs that the test suite tries, in 1/1000.
        refuses: False if the reader never raises errors.
    """

    name: str
    case: Callable[[], Case]
    read: Callable[[Path], object]
    errors: tuple[type[Exception], ...]
    inputs: int = 10_000
    words: tuple[bytes, ...] = ()
    gzipped: bool = False
    structured: Callable[[Case], Cases] | None = None
    warnings: tuple[type[Warning], ...] = ()
    guided: str = ""
    share: int = 15
    refuses: bool = True
