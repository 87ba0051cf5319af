"""Reading of text files, plain or compressed, line by line."""

import bz2
import codecs
import gzip
import io
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

# Endings of files that are decompressed while they are read.
PACKED = (".gz", ".bz2")

AS_CSV = "save a spreadsheet as CSV (in Excel: CSV UTF-8)"
"""What to do with a file of Excel."""

# The beginnings of zips, such as `.xlsx`, and of `.xls`.
_BINARY = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")

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


def unix_line_ends(text: str) -> str:
    """A text whose lines end in LF, where they ended in CR LF or CR.

    The csv module does not quote a lone CR, which ends a row for its readers.
    """
    return text.replace("\r\n", "\n").replace("\r", "\n")


def find_file(folder: Path, name: str) -> Path | None:
    """`folder/name` or else `folder/name.gz`; None if neither is a file."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    return None


def open_bytes(path: Path) -> io.BufferedReader:
    """Opens a file for reading; `.gz` and `.bz2` are decompressed.

    Raises:
        OSError: if the file cannot be opened. Reading raises an
            `UnpackingError` beyond the limits of `decompression.bounded`.
    """
    if path.suffix not in PACKED:
        return path.open("rb")
    packed_bytes = path.stat().st_size
    unpack = gzip.open if path.suffix == ".gz" else bz2.open
    return bounded(cast(BinaryIO, unpack(path)), packed_bytes)


def read_lines(
    path: Path, encoding: str | None = None
) -> Iterator[tuple[int, str]]:
    r"""Streams the lines of a text, plain, `.gz` or `.bz2`.

    Lines end only at `\n` or `\r\n`, because texts contain the other
    characters at which `str.splitlines` breaks. A byte order mark is skipped.

    Args:
        path: the file.
        encoding: name of the encoding, such as `"utf-16"`; None is UTF-8 by
            the format of the file. Errors for a text in another encoding name
            this argument and the option `--encoding`, unless it is None.

    Yields:
        `(number, line)`, numbered from 1, without the line end.

    Raises:
        DatasetError: if the file cannot be read or decompressed, is packed in
            another way or of Excel, has another encoding, or has a line of
            `MAX_LINE_BYTES` bytes (characters, in an encoding other than UTF-8)
            or more, or `encoding` is unknown.
    """
    path = Path(path)
    lines = _utf8_lines if _is_utf8(encoding) else _encoded_lines
    number = 0
    try:
        with open_bytes(path) as stream:
            start = stream.peek(8)[:8]
            if start.startswith(_BINARY):
                expected = f"text, not an Excel file or a zip; {AS_CSV}"
                raise error_at(path, 1, expected, start)
            if remedy := _packed(path, start):
                raise error_at(path, 1, f"text; {remedy}", start)
            for line in lines(path, stream, encoding):
                number += 1
                if number == 1:
                    line = line.removeprefix("\ufeff")
                yield number, line.removesuffix("\n").removesuffix("\r")
    except READ_ERRORS as error:
        raise error_at(
            path, number + 1, "a readable file", str(error)
        ) from error


def _packed(path: Path, start: bytes) -> str:
    """What to do with a file of packed text whose name does not say so."""
    if start.startswith(b"\x1f\x8b") and path.suffix != ".gz":
        return f"rename the file, which is a gzip, to {path.name}.gz"
    if start.startswith(b"\x28\xb5\x2f\xfd"):
        return "unpack the file, which is of Zstandard, by `zstd -d`"
    return ""


def _is_utf8(encoding: str | None) -> bool:
    if encoding is None:
        return True
    try:
        # Refuses what is no encoding of text, such as base64, too.
        "".encode(encoding)
    except (LookupError, ValueError):
        raise DatasetError(
            "`encoding` must be the name of an encoding of text that Python "
            "knows, such as 'utf-8', 'utf-16', 'latin-1' or 'cp1252'. "
            f"Received: encoding={shorten(encoding)}"
        ) from None
    return codecs.lookup(encoding).name == "utf-8"


def _utf8_lines(
    path: Path, stream: BinaryIO, encoding: str | None
) -> Iterator[str]:
    number = 0
    while raw := stream.readline(MAX_LINE_BYTES):
        number += 1
        _check_length(path, number, raw, raw.endswith(b"\n"))
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            around = raw[max(0, error.start - 10) : error.end + 10]
            expected = "UTF-8 text"
            if encoding is not None:
                guess = _guess(raw if number == 1 else b"")
                expected += f" or another `encoding` (--encoding), {guess}"
            raise error_at(path, number, expected, around) from None
        if number == 1 and encoding is not None and "\0" in line:
            guess = _guess(raw)
            raise error_at(
                path,
                number,
                f"text or another `encoding` (--encoding), {guess}",
                line,
            )
        yield line


def _guess(start: bytes) -> str:
    """What encoding to try for a file that begins so."""
    if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "here utf-16"
    if b"\0" in start:
        return "here probably utf-16-" + ("be" if start[:1] == b"\0" else "le")
    return "such as cp1252 or latin-1"


def _encoded_lines(
    path: Path, stream: BinaryIO, encoding: str | None
) -> Iterator[str]:
    number = 0
    with io.TextIOWrapper(stream, encoding, newline="\n") as text:
        while True:
            number += 1
            try:
                line = text.readline(MAX_LINE_BYTES)
            except UnicodeDecodeError as error:
                # It is of a block, of which no line has been read yet.
                start, end, name = error.start, error.end, error.encoding
                name = str(encoding) if name == "charmap" else name
                before = error.object[:start].decode(name, "replace")
                around = error.object[max(0, start - 10) : end + 10]
                raise error_at(
                    path,
                    number + before.count("\n"),
                    f"{encoding} text",
                    around,
                ) from None
            except UnicodeError as error:
                raise error_at(
                    path, number, f"{encoding} text", str(error)
                ) from None
            if not line:
                return
            _check_length(path, number, line, line.endswith("\n"))
            yield line


def _check_length(
    path: Path, number: int, line: bytes | str, ended: bool
) -> None:
    if len(line) == MAX_LINE_BYTES and not ended:
        unit = "bytes" if isinstance(line, bytes) else "characters"
        raise error_at(
            path, number, f"a line of less than {MAX_LINE_BYTES} {unit}", line
        )
