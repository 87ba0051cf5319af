"""Streaming of JSON lines, and of one long JSON array item by item."""

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import BinaryIO
from typing import NoReturn

from keras_qa.errors import DatasetError
from keras_qa.files.text_files import READ_ERRORS
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import open_bytes
from keras_qa.files.text_files import read_lines
from keras_qa.files.text_files import shorten

# Bounds the memory; no article is as long.
MAX_ITEM_CHARACTERS = 2**24

# Bounds messages, since names in the file may be part of a place.
_MAX_WHERE = 400
_CHUNK_BYTES = 2**16
_BLANK = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"[-+.eE0-9]*")


def error_in(
    path: Path, where: str, expected: str, received: object
) -> DatasetError:
    """Makes the error for a place of a file that is not given by lines.

    Args:
        path: the file.
        where: the place, such as `data[3].title`.
        expected: describes the expected value.
        received: the value found.

    Returns:
        The error, `path:where: expected ... Received: ...`.
    """
    return DatasetError(
        f"{path}:{where[:_MAX_WHERE]}: expected {expected[:_MAX_WHERE]}. "
        f"Received: {shorten(received)}"
    )


def read_records(
    path: Path, encoding: str | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Streams a file of one JSON object per line; blank lines are skipped.

    Args:
        path: the file, plain, `.gz` or `.bz2`.
        encoding: see `read_lines`.

    Yields:
        `(number, record)`, with the number of the line, from 1.

    Raises:
        DatasetError: if the file cannot be read, or a line is not a JSON
            object.
    """
    for number, line in read_lines(path, encoding):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        # Also raised for deep nesting, and for numbers of too many digits.
        except (ValueError, RecursionError) as error:
            raise error_at(
                path, number, f"a JSON object on each line ({error})", line
            ) from None
        if not isinstance(record, dict):
            raise error_at(path, number, "a JSON object on each line", record)
        yield number, record


def read_array(path: Path, name: str) -> Iterator[tuple[str, Any]]:
    """Streams the items of an array that is a member of the file's object.

    An example is `{"data": [item, item, ...], "version": ...}`. One item is in
    memory at a time, and about twice its length of text. The other members are
    parsed and skipped.

    Args:
        path: the file, plain, `.gz` or `.bz2`; UTF-8, optionally with a byte
            order mark.
        name: the array's name, `"data"` in the example.

    Yields:
        `(where, item)`, with places such as `data[0]`.

    Raises:
        DatasetError: if the file cannot be read, is not UTF-8 or not
            well-formed, has an item of more than `MAX_ITEM_CHARACTERS`, or no
            array of that name. The message names the place, and for syntax
            errors the character, counted from 1.
    """
    path = Path(path)
    try:
        with open_bytes(path) as stream:
            yield from _items(_Reader(path, stream), name)
    except READ_ERRORS as error:
        raise error_in(path, name, "a readable file", str(error)) from error


def _items(reader: "_Reader", name: str) -> Iterator[tuple[str, Any]]:
    reader.take("{", "the beginning")
    found = False
    more = True
    while more:
        key = reader.value("a name")
        if not isinstance(key, str):
            reader.fail("a name", "a string", key)
        shown = shorten(key)
        reader.take(":", f"behind {shown}")
        if key == name:
            found = True
            reader.take("[", name)
            number = 0
            inside = reader.peek() != "]"
            while inside:
                where = f"{name}[{number}]"
                yield where, reader.value(where)
                inside = reader.take(",]", f"behind {where}") == ","
                number += 1
            if number == 0:
                reader.take("]", name)
        else:
            reader.value(shown)
        more = reader.take(",}", f"behind {shown}") == ","
    if reader.peek():
        reader.fail("the end", "the end of the file", reader.peek())
    if not found:
        reader.fail("the end", f"an array {name!r}", "an object without it")


class _Reader:
    """Parses a JSON text from left to right, and reads it in pieces."""

    def __init__(self, path: Path, stream: BinaryIO):
        self._path = path
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._decode = json.JSONDecoder().raw_decode
        # The text that was read; the part from `_at` is not parsed yet.
        self._text = ""
        self._at = 0
        self._before = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._drop(blank.end() if blank else self._at)
            found = self._text[self._at : self._at + 1]
            if found or not self._read_on():
                return found

    def take(self, characters: str, where: str) -> str:
        """Skips and returns the next character, one of `characters`."""
        found = self.peek()
        if not found or found not in characters:
            expected = " or ".join(repr(c) for c in characters)
            self.fail(where, expected, found or "the end of the file")
        self._drop(self._at + 1)
        return found

    def value(self, where: str) -> Any:
        """Skips and returns the next value."""
        self.peek()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except RecursionError as error:
                self.fail(where, f"JSON ({error})", self._text[self._at :][:80])
            except ValueError as error:
                # The value may continue in text that is not read yet.
                length = len(self._text) - self._at
                if length <= MAX_ITEM_CHARACTERS and self._read_on():
                    continue
                self._fail_at(where, error)
            # More of a number may follow, also of one that is read to `1.`.
            whole = not _NUMBER.fullmatch(self._text, end)
            if whole or not self._read_on():
                self._drop(end)
                return value

    def fail(self, where: str, expected: str, received: object) -> NoReturn:
        """Raises the error for the next character."""
        place = f"{where}, character {self._before + 1}"
        raise error_in(self._path, place, expected, received)

    def _fail_at(self, where: str, error: ValueError) -> NoReturn:
        at = error.pos if isinstance(error, json.JSONDecodeError) else 0
        reason = getattr(error, "msg", str(error))
        around = self._text[max(self._at, at - 20) : at + 20]
        self._before += max(0, at - self._at)
        self.fail(where, f"JSON ({reason})", around)

    def _drop(self, end: int) -> None:
        """Skips the text before `end`."""
        self._before += end - self._at
        self._at = end

    def _read_on(self) -> bool:
        """Doubles the unparsed text; returns False at the end of the file."""
        if self._ended:
            return False
        # Skipped text is cut off only here: cutting after each item would be
        # slow where many short items follow a long one.
        self._text, self._at = self._text[self._at :], 0
        data = self._stream.read(max(_CHUNK_BYTES, len(self._text)))
        self._ended = not data
        try:
            self._text += self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            good = error.object[: error.start].decode("utf-8-sig")
            self._before += len(self._text) + len(good)
            around = error.object[max(0, error.start - 10) : error.end + 10]
            self.fail("the text", "UTF-8", around)
        return True
