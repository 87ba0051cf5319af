"""Streaming of long XML files, in which entities are rejected."""

from abc import ABC
from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Generic
from typing import NoReturn
from typing import TypeVar

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser
from defusedxml.ElementTree import ParseError

from keras_qa.errors import DatasetError
from keras_qa.files.text_files import READ_ERRORS
from keras_qa.files.text_files import error_at
from keras_qa.files.text_files import open_bytes

T = TypeVar("T")

_CHUNK_BYTES = 2**16
# Bounds the memory that a tag or a comment takes.
_MAX_TAG_BYTES = 2**20


class XmlStream(ABC, Generic[T]):
    """A parser that collects items of an XML document.

    Entities that the document declares are rejected (by defusedxml): nested, a
    kilobyte of them can expand to gigabytes of text, and the published files
    have none. Attributes declared with a default value, which each tag would
    get, are rejected, too.

    Args:
        *parts: the file, plain or compressed (see `open_bytes`), or the
            consecutive files that make up the document.
    """

    def __init__(self, *parts: Path):
        self._parts = parts
        self._reader = DefusedXMLParser(target=self)
        self._parser = self._reader.parser
        self._parser.AttlistDeclHandler = self._declared_attribute
        self._parser.SkippedEntityHandler = self._skipped_entity
        self._done: list[T] = []
        self.path = parts[0]
        self._lines_before = 0

    @abstractmethod
    def start(self, element: str, attributes: dict[str, str]) -> None:
        """Handles the beginning of an element."""

    @abstractmethod
    def data(self, text: str) -> None:
        """Handles text; the text of an element may come in several calls."""

    @abstractmethod
    def end(self, element: str) -> None:
        """Handles the end of an element."""

    def finish(self) -> None:
        """Handles the end of the document; may raise `self.error(...)`."""

    def emit(self, item: T) -> None:
        """Adds an item, which `read` yields."""
        self._done.append(item)

    @property
    def line(self) -> int:
        """The parser's current line in `path`, counted from 1."""
        return max(1, self._parser.CurrentLineNumber - self._lines_before)

    def error(self, expected: str, received: object) -> DatasetError:
        """Makes the error for the current line."""
        return error_at(self.path, self.line, expected, received)

    def read(self) -> Iterator[T]:
        """Yields the items; the document can be read once.

        Raises:
            DatasetError: if a file cannot be read, or the document is not
                well-formed, declares entities or attributes with a default
                value, or has a tag that is too long; it names file and line.
        """
        try:
            lines = size = 0
            for part in self._parts:
                self.path, self._lines_before = part, lines
                with open_bytes(part) as stream:
                    while chunk := stream.read(_CHUNK_BYTES):
                        lines += chunk.count(b"\n")
                        size += len(chunk)
                        self._reader.feed(chunk)
                        unread = size - self._parser.CurrentByteIndex
                        if unread > _MAX_TAG_BYTES:
                            raise self.error("a shorter tag", chunk)
                        done, self._done = self._done, []
                        yield from done
            self._reader.close()
            self.finish()
        except DatasetError:
            raise
        except DefusedXmlException as error:
            raise self._has_entities(str(error)) from error
        # The last two are raised for unknown encodings.
        except (*READ_ERRORS, ParseError, LookupError, ValueError) as error:
            raise self.error("well-formed XML", str(error)) from error

    def _has_entities(self, received: object) -> DatasetError:
        return self.error("a file without entities of its own", received)

    def _skipped_entity(self, *entity: object) -> NoReturn:
        raise self._has_entities(entity)

    def _declared_attribute(
        self,
        element: str,
        name: str,
        kind: str,
        value: str | None,
        required: bool,
    ) -> None:
        if value is not None:
            raise self.error(
                "a file without attributes that have a value of their own",
                (element, name, value),
            )
