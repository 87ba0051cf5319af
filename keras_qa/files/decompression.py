"""Decompression with a limit on the ratio of unpacked to packed bytes.

A kilobyte of gzip can expand to a megabyte of spaces, and one of bzip2 to much
more. Text is compressed to about a fifth of its size.
"""

import io
from typing import BinaryIO

from keras_qa.errors import UnpackingError

FREE_BYTES = 1 << 26
"""What any file may unpack to: small files can be very regular."""

MOST_TIMES = 100
"""A longer result may have at most this many times the file's length."""

_BUFFER_BYTES = 1 << 16


class _Bounded(io.RawIOBase):
    """A stream that raises an error after too many bytes."""

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
    """Limits the number of bytes of a decompressing stream.

    Args:
        stream: decompresses a file; it is closed with the result.
        packed_bytes: size of the file in bytes.
        buffer_bytes: number of bytes read at a time.

    Returns:
        A stream of the same bytes. Reading beyond the larger of `FREE_BYTES`
        and `MOST_TIMES * packed_bytes` raises an `UnpackingError`.
    """
    most = max(FREE_BYTES, MOST_TIMES * packed_bytes)
    return io.BufferedReader(_Bounded(stream, most), buffer_bytes)
