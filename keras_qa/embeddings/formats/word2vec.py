"""Reading of vectors row by row, keeping only the rows of wanted words.

The readers decode the word and check the width of every row, wanted or not, so
that a damaged row cannot shift the rows after it. Numbers are parsed for wanted
words only.
"""

import codecs
import re
from collections.abc import Iterable
from collections.abc import Iterator
from itertools import chain

import numpy as np
from gensim.models import KeyedVectors

from keras_qa.embeddings.formats.row_collector import RowCollector
from keras_qa.embeddings.formats.vector_files import BLOCK_BYTES
from keras_qa.embeddings.formats.vector_files import ByteStream
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.formats.vector_files import open_stream
from keras_qa.errors import VectorsError

FLOAT32 = np.dtype("<f4")
# `count dim`, the first line of the word2vec formats.
HEADER = re.compile(rb"\s*([0-9]{1,18})\s+([0-9]{1,18})\s*\Z")
MAX_HEADER_BYTES = 64
# Bounds the memory; no vectors are as wide.
MAX_DIM = 1 << 16
MAX_LINE_BYTES = 1 << 21
# Longer words indicate that a binary file is damaged.
MAX_WORD_BYTES = 1 << 16


def check_first_line(path: PathLike, header: bool) -> None:
    """Checks the first line of a text, as `read_text` does.

    Raises:
        VectorsError: if it is malformed.
    """
    rows = RowCollector(path, None, "strict")
    with open_stream(path) as stream:
        _, line = next(_lines(rows, stream))
    if header:
        parse_header(path, line)
    else:
        _first_width(rows, line)


def read_text(
    path: PathLike,
    vocabulary: Iterable[str] | None,
    unicode_errors: str,
    header: bool,
) -> KeyedVectors:
    """Reads one word and its numbers per line, separated by single spaces.

    A word may contain spaces, as some of GloVe 840B do (for which gensim raises
    an error): the word is all text before the last `dim` columns, unless it
    ends in a number, which would be a surplus column. A warning counts such
    words.

    Args:
        path: file, plain or gzipped.
        vocabulary: words to keep; None for all.
        unicode_errors: error handler for words that are not UTF-8.
        header: True if the first line is `count dim`. Otherwise the first row
            determines the width.

    Returns:
        float32 vectors, in the order of the file.

    Raises:
        VectorsError: if the file or a row of it is malformed.
    """
    rows = RowCollector(path, vocabulary, unicode_errors)
    with open_stream(path) as stream:
        lines = _lines(rows, stream)
        first = next(lines)
        if header:
            promised, dim = parse_header(path, first[1])
        else:
            dim = _first_width(rows, first[1])
            lines = chain([first], lines)
        number = 1
        for number, line in lines:
            line = line.rstrip()
            if line.count(b" ") == dim:
                end = line.find(b" ")
                word = rows.decode(line[:end], number)
            else:
                end = _end_of_phrase(line, dim, rows.where(number))
                word = rows.decode(line[:end], number)
                rows.note("contain blanks", word, number)
            if rows.wants(word, number):
                values = _parse(line[end + 1 :], rows.where(number))
                rows.add(word, values, number)
    if header and number - 1 != promised:
        raise VectorsError(
            f"{rows.where(1)}: expected {promised} rows, as the header says. "
            f"Received: {number - 1} rows"
        )
    return rows.finish(dim)


def read_binary(
    path: PathLike, vocabulary: Iterable[str] | None, unicode_errors: str
) -> KeyedVectors:
    """Reads the binary format of word2vec.

    Args:
        path: file, plain or gzipped: a line `count dim`, then for each word
            its UTF-8 bytes, a space and `dim` little-endian float32; line
            feeds before a word are skipped.
        vocabulary: words to keep; None for all.
        unicode_errors: error handler for words that are not UTF-8.

    Returns:
        float32 vectors, in the order of the file.

    Raises:
        VectorsError: if the file is cut off, longer than its header says, or
            contains a value that is not finite.
    """
    rows = RowCollector(path, vocabulary, unicode_errors, ": record ")
    with open_stream(path) as stream:
        promised, dim = parse_header(path, stream.readline(MAX_HEADER_BYTES))
        width = dim * FLOAT32.itemsize
        block = b""
        start = 0
        for number in range(1, promised + 1):
            end = block.find(b" ", start)
            while end < 0 or end + 1 + width > len(block):
                left = len(block) - start
                if end < 0 and left > MAX_WORD_BYTES:
                    raise VectorsError(
                        f"{rows.where(number)}: expected a word and a blank. "
                        f"Received: {block[start : start + 20]!r}..."
                    )
                # Doubled if a row does not fit: fast for wide rows, and
                # bounded by the file's size, not by its header.
                more = stream.read(max(BLOCK_BYTES, left))
                if not more:
                    raise VectorsError(
                        f"{rows.where(number)}: expected {promised} rows of "
                        f"{dim} float32, as the header says. Received: the "
                        f"end of the file after {number - 1} whole rows"
                    )
                block = block[start:] + more
                start = 0
                end = block.find(b" ")
            word = rows.decode(block[start:end].lstrip(b"\n"), number)
            if rows.wants(word, number):
                values = np.frombuffer(block, FLOAT32, dim, offset=end + 1)
                rows.add(word, values, number)
            start = end + 1 + width
        rest = block[start:].lstrip(b"\n") or stream.read(64).lstrip(b"\n")
        if rest:
            raise VectorsError(
                f"{rows.where(promised + 1)}: expected the end of the file "
                f"after {promised} rows of {dim} float32, as the header says. "
                f"Received: {rest[:20]!r}..."
            )
    return rows.finish(dim)


def parse_header(path: PathLike, line: bytes) -> tuple[int, int]:
    """Parses the two numbers `(count, dim)` of a word2vec header.

    Raises:
        VectorsError: if the line is not two positive integers, or `dim` is
            larger than `MAX_DIM`.
    """
    found = HEADER.match(line)
    count, dim = map(int, found.groups()) if found else (0, 0)
    if count < 1 or not 1 <= dim <= MAX_DIM:
        raise VectorsError(
            f"{path}:1: expected a header, two positive integers `count dim` "
            f"of which the second is at most {MAX_DIM}. "
            f"Received: {line[:60]!r}"
        )
    return count, dim


def _lines(
    rows: RowCollector, stream: ByteStream
) -> Iterator[tuple[int, bytes]]:
    """Yields numbered lines of bounded length."""
    number = 0
    while line := stream.readline(MAX_LINE_BYTES):
        number += 1
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if len(line) == MAX_LINE_BYTES:
            raise VectorsError(
                f"{rows.where(number)}: expected a line of less than "
                f"{MAX_LINE_BYTES} bytes. Received: {line[:60]!r}..."
            )
        yield number, line


def _first_width(rows: RowCollector, line: bytes) -> int:
    """The number of columns after the first word, which must be numbers."""
    if HEADER.match(line):
        raise VectorsError(
            f"{rows.where(1)}: expected a word and its numbers. Received: the "
            f"header {line[:60]!r}; load the file with `load_word2vec_text`"
        )
    word, blank, numbers = line.rstrip().partition(b" ")
    if not blank or b"\t" in word:
        raise VectorsError(
            f"{rows.where(1)}: expected a word and its numbers, separated by "
            f"blanks, not tabs. Received: {line[:60]!r}"
        )
    return len(_parse(numbers, rows.where(1)))


def _end_of_phrase(line: bytes, dim: int, where: str) -> int:
    """The end of a word with spaces in a line."""
    phrase, *columns = line.rsplit(b" ", dim)
    last = phrase.rpartition(b" ")[2]
    if len(columns) < dim or not last or _is_number(last):
        raise VectorsError(
            f"{where}: expected a word and {dim} numbers. Received: "
            f"{line.count(b' ')} columns after the word, {line[:60]!r}..."
        )
    return len(phrase)


def _is_number(column: bytes) -> bool:
    # "nan" and "infinity" are treated as words.
    if column[:1].isalpha():
        return False
    try:
        float(column)
    except ValueError:
        return False
    return True


def _parse(numbers: bytes, where: str) -> list[float]:
    """Parses decimal numbers as doubles.

    The matrix then rounds them to float32; `numpy.float32(text)`, hence gensim,
    also rounds twice.
    """
    columns = numbers.split(b" ")
    values: list[float] = []
    try:
        values.extend(map(float, columns))
    except ValueError:
        raise VectorsError(
            f"{where}: expected numbers after the word. Received: "
            f"{columns[len(values)][:30]!r} in column {len(values) + 1}"
        ) from None
    return values
