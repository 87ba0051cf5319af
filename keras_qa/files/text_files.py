"""Reading of text files, plain or compressed, line by line."""

import bz2
import gzip
import reprlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from typing import cast

from keras_qa.errors import DatasetError
from keras_qa.files.decompression import bounded

# Bounds the memory; no sentence is as long.
MAX_LINE_BYTES = 2**24

# Bounds messages, since an id of the file may be part of the expectation.
_MAX_EXPECTED = 400

# Errors of opening, reading and decompressing.
READ_ERRORS = (OSError, EOFError, zlib.error)


class _Short(reprlib.Repr):
    """A `repr` of bounded length."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 90
        self.maxlevel = 2

    def repr_int(self, x: int, level: int) -> str:
        """Python raises an error for integers of thousands of digits."""
        bits = x.bit_length()
        return repr(x) if bits < 200 else f"<integer of {bits} bits>"


def shorten(value: object) -> str:
    """The `repr` of a value, cut to at most 300 characters."""
    text = _Short().repr(value)
    return text if len(text) <= 300 else f"{text[:297]}..."


def error_at(
    path: Path, line: int, expected: str, received: object
) -> DatasetError:
    """Makes the error for a line, `path:line: expected ... Received: ...`."""
    return DatasetError(
        f"{path}:{line}: expected {expected[:_MAX_EXPECTED]}. "
        f"Received: {shorten(received)}"
    )


def check_text(path: Path, line: int, name: str, value: object) -> str:
    """Returns `value` if it is a string that UTF-8 can encode.

    Escapes in JSON and pickles can produce surrogates, which UTF-8 cannot
    encode.

    Raises:
        DatasetError: if `value` is not such a string.
    """
    if not isinstance(value, str):
        raise error_at(path, line, f"{name} to be a string", value)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise error_at(
            path, line, f"{name} without surrogates", value
        ) from None
    return value


def find_file(folder: Path, name: str) -> Path | None:
    """`folder/name` or else `folder/name.gz`; None if neither is a file."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    return None


def open_bytes(path: Path) -> BinaryIO:
    """Opens a file for reading; `.gz` and `.bz2` are decompressed.

    Raises:
        OSError: if the file cannot be opened. Reading raises an
            `UnpackingError` beyond the limits of `decompression.bounded`.
    """
    if path.suffix not in (".gz", ".bz2"):
        return path.open("rb")
    packed_bytes = path.stat().st_size
    unpack = gzip.open if path.suffix == ".gz" else bz2.open
    return bounded(cast(BinaryIO, unpack(path)), packed_bytes)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    r"""Streams the lines of a UTF-8 text, plain, `.gz` or `.bz2`.

    Lines end only at `\n` or `\r\n`, because texts contain the other
    characters at which `str.splitlines` breaks. A byte order mark is skipped.

    Args:
        path: the file.

    Yields:
        `(number, line)`, numbered from 1, without the line end.

    Raises:
        DatasetError: if the file cannot be read or decompressed, is not
            UTF-8, or has a line of `MAX_LINE_BYTES` bytes or more.
    """
    path = Path(path)
    number = 0
    try:
        with open_bytes(path) as stream:
            while raw := stream.readline(MAX_LINE_BYTES):
                number += 1
                yield number, _decode(path, number, raw)
    except READ_ERRORS as error:
        raise error_at(
            path, number + 1, "a readable file", str(error)
        ) from error


def _decode(path: Path, number: int, raw: bytes) -> str:
    if len(raw) == MAX_LINE_BYTES and not raw.endswith(b"\n"):
        raise error_at(
            path, number, f"a line of less than {MAX_LINE_BYTES} bytes", raw
        )
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        around = raw[max(0, error.start - 10) : error.end + 10]
        raise error_at(path, number, "UTF-8 text", around) from None
    if number == 1:
        line = line.removeprefix("\ufeff")
    return line.removesuffix("\n").removesuffix("\r")
