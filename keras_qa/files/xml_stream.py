"""XML files of any length, read piece by piece and without entities."""

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
# A tag or a comment that is longer only fills the memory.
_MAX_TAG_BYTES = 2**20


class XmlStream(ABC, Generic[T]):
    """Passes over an XML document and collects items of it on the way.

    Entities that the document declares are refused (by defusedxml): nested, a
    kilobyte of them can expand to gigabytes of text, and the published files
    have none. So are attributes that it declares with a value, which each tag
    would get.

    Args:
        *parts: the file, plain or compressed (see `open_bytes`), or the files
            that follow one another and make up the document.
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
        """Called where an element begins."""

    @abstractmethod
    def data(self, text: str) -> None:
        """Called with some text; that of an element may come in pieces."""

    @abstractmethod
    def end(self, element: str) -> None:
        """Called where an element ends."""

    def finish(self) -> None:
        """Called at the end of the document; may raise `self.error(...)`."""

    def emit(self, item: T) -> None:
        """Adds an item to what `read` yields."""
        self._done.append(item)

    @property
    def line(self) -> int:
        """The line of `path` that the parser is at, counted from 1."""
        return max(1, self._parser.CurrentLineNumber - self._lines_before)

    def error(self, expected: str, received: object) -> DatasetError:
        """The error for what is read at present."""
        return error_at(self.path, self.line, expected, received)

    def read(self) -> Iterator[T]:
        """Yields the items; the document can be read once.

        Raises:
            DatasetError: if a file cannot be read, or the document is not
                well-formed or declares entities; it names file and line.
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
        # An unknown encoding in the XML declaration is one of the last two.
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
