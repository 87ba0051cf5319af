"""Collecting the rows of wanted words into gensim's `KeyedVectors`."""

import warnings
from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence

import numpy as np
from gensim.models import KeyedVectors

from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.errors import VectorsError
from keras_qa.errors import VectorsWarning

# Initial number of rows and of numbers, if the number of words is unknown.
FIRST_ROWS = 1024
FIRST_NUMBERS = 1 << 19
GROWTH = 1.25


class RowCollector:
    """Collects the first row of each wanted word in one float32 matrix.

    Args:
        path: the file that is read, for error messages.
        vocabulary: the wanted words; None for all.
        unicode_errors: error handler for words that are not UTF-8.
        separator: text between the path and the number of a row in messages.

    Raises:
        ValueError: if `vocabulary` is one string.
    """

    def __init__(
        self,
        path: PathLike,
        vocabulary: Iterable[str] | None = None,
        unicode_errors: str = "strict",
        separator: str = ":",
    ):
        self._path = path
        self._wanted = wanted_words(vocabulary)
        self._unicode_errors = unicode_errors
        self._separator = separator
        self._index: dict[str, int] = {}
        self._matrix = np.empty((0, 0), dtype=np.float32)
        self._odd: Counter[str] = Counter()
        self._examples: dict[str, str] = {}

    def where(self, number: int) -> str:
        """The file and a row, numbered from 1, for error messages."""
        return f"{self._path}{self._separator}{number}"

    def decode(self, raw: bytes, number: int) -> str:
        """Decodes the word of a row.

        Raises:
            VectorsError: if it is not UTF-8 and `unicode_errors` is strict.
        """
        try:
            return raw.decode("utf-8", self._unicode_errors)
        except UnicodeDecodeError:
            raise VectorsError(
                f"{self.where(number)}: expected a word in UTF-8; "
                "`unicode_errors='replace'` accepts others. "
                f"Received: {raw[:60]!r}"
            ) from None

    def wants(self, word: str, number: int) -> bool:
        """Returns True if a word's row must be added; counts repetitions."""
        if self._wanted is not None and word not in self._wanted:
            return False
        if word in self._index:
            self.note("are repeated, their first rows were kept", word, number)
            return False
        return True

    def add(
        self, word: str, values: Sequence[float] | np.ndarray, number: int
    ) -> None:
        """Adds the row of a word.

        Args:
            word: a word for which `wants` returned True.
            values: the word's vector.
            number: the row in the file.

        Raises:
            VectorsError: if a value is not finite in float32.
        """
        row = len(self._index)
        if row == len(self._matrix):
            self._grow(len(values))
        # Doubles beyond float32 become infinite and are reported below.
        with np.errstate(over="ignore"):
            self._matrix[row] = values
        finite = np.isfinite(self._matrix[row])
        if not finite.all():
            column = int(np.argmin(finite))
            raise VectorsError(
                f"{self.where(number)}: expected finite float32 numbers for "
                f"{word!r}. Received: {values[column]} in column {column + 1}"
            )
        self._index[word] = row

    def note(self, what: str, word: str, number: int) -> None:
        """Counts an unusual word, for a warning of `finish`."""
        self._odd[what] += 1
        self._examples.setdefault(what, f"{word!r} at {self.where(number)}")

    def finish(self, dim: int) -> KeyedVectors:
        """Returns the vectors, and warns of unusual words (`VectorsWarning`).

        Args:
            dim: the width of the rows.

        Returns:
            The vectors in the order in which they were added, with descending
            counts, as gensim sets where a file has none.
        """
        for what, count in self._odd.items():
            warnings.warn(
                f"{self._path}: {count} words {what} "
                f"(the first: {self._examples[what]})",
                VectorsWarning,
                stacklevel=4,
            )
        rows = len(self._index)
        self._matrix.resize((rows, dim), refcheck=False)
        vectors = KeyedVectors(dim)
        vectors.vectors = self._matrix
        vectors.key_to_index = self._index
        vectors.index_to_key = list(self._index)
        vectors.next_index = rows
        vectors.allocate_vecattrs(["count"], [int])
        vectors.expandos["count"][:] = np.arange(rows, 0, -1)
        return vectors

    def _grow(self, dim: int) -> None:
        if self._wanted is not None:
            # Memory pages that are never written to are not allocated.
            self._matrix = np.empty((len(self._wanted), dim), np.float32)
        else:
            first = min(FIRST_ROWS, FIRST_NUMBERS // dim)
            rows = max(1 + first, int(len(self._matrix) * GROWTH))
            self._matrix.resize((rows, dim), refcheck=False)


def wanted_words(vocabulary: Iterable[str] | None) -> frozenset[str] | None:
    """Converts words to a set; None stands for all words.

    Raises:
        ValueError: if `vocabulary` is one string.
    """
    if vocabulary is None:
        return None
    if isinstance(vocabulary, str):
        raise ValueError(
            "`vocabulary` must be a collection of words. "
            f"Received: vocabulary={vocabulary!r}"
        )
    return frozenset(vocabulary)
