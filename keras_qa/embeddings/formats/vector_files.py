"""Opening of vector files, plain or gzipped; pickles are rejected."""

import gzip
import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from typing import BinaryIO
from typing import TypeAlias
from typing import cast

from keras_qa.errors import UnpackingError
from keras_qa.errors import VectorsError
from keras_qa.files.decompression import bounded

PathLike = str | os.PathLike[str]
ByteStream: TypeAlias = "io.BufferedReader[Any]"

BLOCK_BYTES = 1 << 20
GZIP_MAGIC = b"\x1f\x8b"
# The first two bytes of pickles of the protocols 2 to 5, with which neither
# UTF-8 text nor a fastText model can begin.
PICKLE_MAGICS = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))


@contextmanager
def open_stream(path: PathLike) -> Iterator[ByteStream]:
    """Opens a file for reading bytes, decompressed if it is gzipped.

    Compression is detected by the content, not by the name.

    Args:
        path: the file.

    Yields:
        A buffered stream of the (decompressed) bytes.

    Raises:
        VectorsError: if the file cannot be opened, is empty or a pickle, or,
            while it is read, if its gzip data are corrupt, cut off, or exceed
            the limits of `decompression.bounded`.
    """
    try:
        opened = io.FileIO(path)
    except OSError as error:
        raise VectorsError(
            f"{path}: expected a readable file. Received: {error.strerror}"
        ) from error
    with io.BufferedReader(opened, BLOCK_BYTES) as file:
        stream: ByteStream = file
        if file.peek(2)[:2] == GZIP_MAGIC:
            unpacked = cast(BinaryIO, gzip.GzipFile(fileobj=file))
            length = os.fstat(file.fileno()).st_size
            stream = bounded(unpacked, length, BLOCK_BYTES)
        try:
            _check_start(path, stream.peek(2)[:2])
            yield stream
        except (
            *(EOFError, zlib.error, gzip.BadGzipFile, UnpackingError),
        ) as error:
            raise VectorsError(
                f"{path}: expected a whole gzip file. Received: {error}"
            ) from error


@contextmanager
def open_seekable(path: PathLike) -> Iterator[BinaryIO]:
    """Opens a file that can be mapped to memory.

    Args:
        path: the file. A gzipped file is unpacked to a temporary file, which
            is removed when the context ends.

    Yields:
        A file of the operating system, opened for reading bytes.

    Raises:
        VectorsError: see `open_stream`.
        OSError: if the disk is full.
    """
    with open_stream(path) as stream:
        if isinstance(stream.raw, io.FileIO):
            yield stream
            return
        with tempfile.TemporaryFile() as unpacked:
            shutil.copyfileobj(stream, unpacked, BLOCK_BYTES)
            unpacked.flush()
            yield unpacked


def _check_start(path: PathLike, start: bytes) -> None:
    if not start:
        raise VectorsError(f"{path}: expected vectors. Received: an empty file")
    if start in PICKLE_MAGICS:
        raise VectorsError(
            f"{path}: is a pickle, perhaps of gensim's own `save`. Loading it "
            "would run the code in it; export the vectors with "
            "`save_word2vec_format` and load that file"
        )
