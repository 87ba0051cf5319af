"""What a target is: a reader, valid files for it and the errors it raises."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from devtools.fuzz.structures import Case
from devtools.fuzz.structures import Cases


@dataclass(frozen=True)
class Target:
    """A reader with what belongs to it.

    Attributes:
        name: its name.
        case: makes the valid files, by their names in a folder.
        read: reads the folder to its end; raises `ValueError` if what it got
            is no data.
        errors: the kit's own errors that it may raise.
        inputs: number of damaged inputs each night.
        words: pieces of its format.
        gzipped: whether its files may have `.gz` at the end of their names.
        structured: makes odd but well-formed files of the valid ones.
        warnings: the kit's own warnings that it may issue.
        guided: the file that a fuzzer guided by coverage damages, if any.
        share: part of the inputs that the test suite tries, in 1/1000.
        refuses: whether it raises errors at all.
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
