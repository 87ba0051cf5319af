"""Decompressing files without being filled up by them.

A kilobyte of gzip can stand for a megabyte of blanks, and one of bzip2 for
much more. Text shrinks to a fifth, perhaps.
"""

import io
from typing import BinaryIO

from keras_qa.errors import UnpackingError

FREE_BYTES = 1 << 26
"""What any file may unpack to, so that small ones can be very regular."""

MOST_TIMES = 100
"""Beyond that, so many times the length of the file."""

_BUFFER_BYTES = 1 << 16


class _Bounded(io.RawIOBase):
    """Passes on what a decompressor gives until it is too much."""

    def __init__(self, stream: BinaryIO, most: int):
        self._stream = stream
        self._most = most
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        self._count += len(data)
        if self._count > self._most:
            raise UnpackingError(
                f"it unpacks to more than {self._most} bytes, which its own "
                "length does not account for"
            )
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


def bounded(
    stream: BinaryIO, packed_bytes: int, buffer_bytes: int = _BUFFER_BYTES
) -> io.BufferedReader:
    """A stream that ends in an error where it gets out of proportion.

    Args:
        stream: decompresses a file; it is closed with the result.
        packed_bytes: length of the file.
        buffer_bytes: read at a time.

    Returns:
        A stream of the same bytes. Reading beyond `FREE_BYTES` and
        `MOST_TIMES * packed_bytes`, whichever is more, raises
        `UnpackingError`.
    """
    most = max(FREE_BYTES, MOST_TIMES * packed_bytes)
    return io.BufferedReader(_Bounded(stream, most), buffer_bytes)
