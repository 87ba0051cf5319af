"""JSON: one object a line, or one long array that is read item by item."""

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

# An item longer than this is no article; it would only fill the memory.
MAX_ITEM_CHARACTERS = 2**24

# A name of the file may be part of a place.
_MAX_WHERE = 400
_CHUNK_BYTES = 2**16
_BLANK = re.compile(r"[ \t\n\r]*")


def error_in(
    path: Path, where: str, expected: str, received: object
) -> DatasetError:
    """The error for a bad place of a file in which lines say nothing.

    Args:
        path: the file.
        where: the place, such as `data[3].title`.
        expected: what should be there.
        received: what is there.

    Returns:
        The error, `path:where: expected ... Received: ...`.
    """
    return DatasetError(
        f"{path}:{where[:_MAX_WHERE]}: expected {expected[:_MAX_WHERE]}. "
        f"Received: {shorten(received)}"
    )


def read_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Streams a file of one JSON object a line; blank lines are skipped.

    Args:
        path: the file, plain or `.gz`.

    Yields:
        `(number, record)`, the lines counted from 1.

    Raises:
        DatasetError: if the file cannot be read, or a line is no JSON object.
    """
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        # Nested too deep, or a number of too many digits.
        except (ValueError, RecursionError) as error:
            raise error_at(
                path, number, f"a JSON object ({error})", line
            ) from None
        if not isinstance(record, dict):
            raise error_at(path, number, "a JSON object", record)
        yield number, record


def read_array(path: Path, name: str) -> Iterator[tuple[str, Any]]:
    """Streams the items of an array that is a member of a file's one object.

    `{"data": [item, item, ...], "version": ...}`: one item is in memory at a
    time, and at most twice its length of the text. The other members are read
    and passed over. The file is read to its end.

    Args:
        path: the file, plain, `.gz` or `.bz2`; UTF-8, perhaps with a byte
            order mark.
        name: the array's name, `"data"` in the example.

    Yields:
        `(where, item)`, where the first item is at `data[0]`.

    Raises:
        DatasetError: if the file cannot be read, is not UTF-8 or not
            well-formed, has an item of more than `MAX_ITEM_CHARACTERS`, or no
            array of that name. Syntax errors name the character, counted from
            1, others the place in the object.
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
    """Parses a JSON text from left to right, and reads more when it must."""

    def __init__(self, path: Path, stream: BinaryIO):
        self._path = path
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._decode = json.JSONDecoder().raw_decode
        # What is read and not yet dropped; it begins at `_at`.
        self._text = ""
        self._at = 0
        self._before = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._drop(blank.end() if blank else self._at)
            found = self._text[self._at : self._at + 1]
            if found or not self._read_on():
                return found

    def take(self, characters: str, where: str) -> str:
        """Passes over the next character, which must be one of those given."""
        found = self.peek()
        if not found or found not in characters:
            expected = " or ".join(repr(c) for c in characters)
            self.fail(where, expected, found or "the end of the file")
        self._drop(self._at + 1)
        return found

    def value(self, where: str) -> Any:
        """Passes over the next value and returns it."""
        self.peek()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except RecursionError as error:
                self.fail(where, f"JSON ({error})", self._text[self._at :][:80])
            except ValueError as error:
                # Perhaps only the beginning is there.
                length = len(self._text) - self._at
                if length <= MAX_ITEM_CHARACTERS and self._read_on():
                    continue
                self._fail_at(where, error)
            # More digits of a number may follow.
            if end < len(self._text) or not self._read_on():
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
        """Passes over what lies before `end`."""
        self._before += end - self._at
        self._at = end

    def _read_on(self) -> bool:
        """Doubles the text that is there; False at the end of the file."""
        if self._ended:
            return False
        # Only here what was passed over is cut off: each time would take
        # long where many short items follow a long one.
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
