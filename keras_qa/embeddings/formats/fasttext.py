"""fastText models in Facebook's binary format, read from a memory map.

gensim also reads this format, but without checks: it never ends on a truncated
dictionary, and reads a quantised matrix as numbers. Here the file is checked
first; gensim computes the subwords.

The layout follows `FastText::saveModel` of
https://github.com/facebookresearch/fastText (version 0.9).
"""

import mmap
import struct
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from gensim.models import KeyedVectors
from gensim.models.fasttext import FastTextKeyedVectors
from gensim.models.fasttext import ft_ngram_hashes

from keras_qa.embeddings.formats.row_collector import RowCollector
from keras_qa.embeddings.formats.row_collector import wanted_words
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.formats.vector_files import open_seekable
from keras_qa.errors import VectorsError

MAGIC = struct.pack("<i", 793712314)
MAX_VERSION = 12
FLOAT32 = np.dtype("<f4")
# The training arguments dim, ws, epoch, minCount, neg, wordNgrams, loss, model,
# bucket, minn, maxn, lrUpdateRate and t.
ARGUMENTS = struct.Struct("<12id")
# Numbers of entries, words, labels, tokens and pruned entries.
DICTIONARY = struct.Struct("<3i2q")
# Count and kind of an entry; the kind is 0 for a word, 1 for a label.
ENTRY = struct.Struct("<qb")
# True if the matrix is quantised, number of rows, number of columns.
MATRIX = struct.Struct("<?2q")
FINITE_ROWS = 4096
# Bounds on the number of subwords of a word, which is at most its length times
# the number of subword lengths. By default, fastText's have 3 to 6 characters.
MAX_SUBWORD = 64
MAX_WORD_BYTES = 1 << 16
RECORD = ": record "


@dataclass(frozen=True, slots=True)
class FastTextModel:
    """The parts of a model file that make vectors.

    Attributes:
        words: the words of the dictionary.
        counts: int64 `(words,)`, number of occurrences in training.
        min_n: length of the shortest subwords, in characters.
        max_n: length of the longest subwords, in characters.
        matrix: float32 `(len(words) + buckets, dim)`, a view of the file: a
            row for each word, then one for each bucket of subwords.
    """

    words: list[str]
    counts: np.ndarray
    min_n: int
    max_n: int
    matrix: np.ndarray

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return self.matrix.shape[1]

    @property
    def buckets(self) -> int:
        """Number of rows that subwords share."""
        return len(self.matrix) - len(self.words)


def read_fasttext(
    path: PathLike, vocabulary: Iterable[str] | None
) -> KeyedVectors:
    """Reads a complete model, or the vectors of the given words.

    Args:
        path: file, plain or gzipped.
        vocabulary: words to compute vectors for; None reads the model.

    Returns:
        `FastTextKeyedVectors`, or `KeyedVectors` of the words that have a
        vector; see `embeddings.load_fasttext`.

    Raises:
        VectorsError: if the file is malformed, quantised or a classifier.
    """
    wanted = wanted_words(vocabulary)
    with open_seekable(path) as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        model = parse_model(path, data)
        # Sums beyond float32 become infinite and are reported as such.
        with np.errstate(invalid="ignore", over="ignore"):
            if wanted is None:
                return _whole_model(path, model)
            return _vectors_of(path, model, wanted)


def has_subwords(vectors: FastTextKeyedVectors, word: str) -> bool:
    """Returns True if a word has subwords, hence a vector."""
    return vectors.bucket > 0 and bool(
        ft_ngram_hashes(word, vectors.min_n, vectors.max_n, vectors.bucket)
    )


def parse_model(path: PathLike, data: mmap.mmap) -> FastTextModel:
    """Checks the layout of a model and finds its parts.

    Args:
        path: the file, for error messages.
        data: the file's bytes.

    Raises:
        VectorsError: if the model is malformed, quantised or a classifier.
    """
    reader = _Reader(path, data)
    magic, version = reader.unpack(struct.Struct("<4si"), "magic number")
    if magic != MAGIC or not 0 < version <= MAX_VERSION:
        raise reader.error(
            f"a fastText model of version {MAX_VERSION} or less",
            f"magic number {magic!r}, version {version}",
        )
    arguments = reader.unpack(ARGUMENTS, "arguments")
    dim, buckets, min_n, max_n = (arguments[i] for i in (0, 8, 9, 10))
    entries, size, labels, _, pruned = reader.unpack(DICTIONARY, "dictionary")
    if labels or entries != size or size < 1 or pruned > 0:
        raise reader.error(
            "an unsupervised model",
            f"{entries} entries with {size} words, {labels} labels, "
            f"{pruned} pruned",
        )
    words: dict[str, int] = {}
    for number in range(1, size + 1):
        word, count = reader.entry(number)
        if word in words:
            raise reader.error(
                "distinct words", f"{word!r} again in record {number}"
            )
        words[word] = count
    quantised, rows, columns = reader.unpack(MATRIX, "matrix")
    if quantised:
        raise reader.error("a matrix of float32", "a quantised model (.ftz)")
    if min(min_n, max_n) < 0 or max(min_n, max_n) > MAX_SUBWORD:
        raise reader.error("lengths of subwords", f"{min_n} to {max_n}")
    if dim < 1 or buckets < 0 or (rows, columns) != (size + buckets, dim):
        raise reader.error(
            f"a matrix of {size} words and {buckets} buckets by {dim}",
            f"{rows} by {columns}",
        )
    return FastTextModel(
        list(words),
        np.fromiter(words.values(), dtype=np.int64),
        min_n,
        max_n,
        reader.floats(rows * columns).reshape(rows, columns),
    )


class _Reader:
    """Unpacks consecutive parts of the file and checks its bounds."""

    def __init__(self, path: PathLike, data: mmap.mmap):
        self._path = path
        self._data = data
        self._start = 0

    def error(self, expected: str, received: str) -> VectorsError:
        return VectorsError(
            f"{self._path}: byte {self._start}: expected {expected}. "
            f"Received: {received}"
        )

    def unpack(self, layout: struct.Struct, what: str) -> tuple:
        if self._start + layout.size > len(self._data):
            raise self.error(f"the {what}", "the end of the file")
        values = layout.unpack_from(self._data, self._start)
        self._start += layout.size
        return values

    def entry(self, number: int) -> tuple[str, int]:
        end = self._data.find(b"\0", self._start)
        if end < 0:
            raise self.error(f"the word of record {number}", "no end of it")
        if end - self._start > MAX_WORD_BYTES:
            raise self.error(
                f"the word of record {number}", f"{end - self._start} bytes"
            )
        raw = self._data[self._start : end]
        # Models of noisy text contain bytes that are not UTF-8, which gensim
        # escapes in the same way.
        word = raw.decode("utf-8", "backslashreplace")
        self._start = end + 1
        count, kind = self.unpack(ENTRY, f"count of record {number}")
        if kind != 0:
            raise self.error(f"a word in record {number}", f"kind {kind}")
        return word, count

    def floats(self, count: int) -> np.ndarray:
        room = (len(self._data) - self._start) // FLOAT32.itemsize
        if count > room:
            raise self.error(f"{count} float32", f"{room}, cut off")
        return np.frombuffer(self._data, FLOAT32, count, self._start)


def _whole_model(path: PathLike, model: FastTextModel) -> FastTextKeyedVectors:
    _check_finite(path, model.matrix)
    vectors = _subword_vectors(model, np.arange(len(model.words)))
    _check_finite(path, vectors.vectors)
    vectors.vectors_ngrams = vectors.vectors_ngrams.copy()
    return vectors


def _vectors_of(
    path: PathLike, model: FastTextModel, wanted: frozenset[str]
) -> KeyedVectors:
    rows = RowCollector(path, wanted, separator=RECORD)
    chosen = [i for i, word in enumerate(model.words) if word in wanted]
    vectors = _subword_vectors(model, np.array(chosen, dtype=int))
    for i, word in zip(chosen, vectors.index_to_key, strict=True):
        rows.add(word, vectors.get_vector(word), i + 1)
    # The rows of the subwords follow those of the words.
    subwords = len(model.words) + 1
    for word in sorted(wanted.difference(vectors.index_to_key)):
        if has_subwords(vectors, word):
            rows.add(word, vectors.get_vector(word), subwords)
    return rows.finish(model.dim)


def _subword_vectors(
    model: FastTextModel, chosen: np.ndarray
) -> FastTextKeyedVectors:
    """The chosen words as gensim's vectors; rows of subwords stay on disk."""
    vectors = FastTextKeyedVectors(
        model.dim, model.min_n, model.max_n, model.buckets
    )
    vectors.index_to_key = [model.words[i] for i in chosen]
    vectors.key_to_index = {w: i for i, w in enumerate(vectors.index_to_key)}
    vectors.next_index = len(chosen)
    vectors.allocate_vecattrs(["count"], [int])
    vectors.expandos["count"][:] = model.counts[chosen]
    vectors.vectors_vocab = model.matrix[chosen]
    vectors.vectors_ngrams = model.matrix[len(model.words) :]
    vectors.recalc_char_ngram_buckets()
    vectors.adjust_vectors()
    return vectors


def _check_finite(path: PathLike, matrix: np.ndarray) -> None:
    for start in range(0, len(matrix), FINITE_ROWS):
        finite = np.isfinite(matrix[start : start + FINITE_ROWS]).all(axis=1)
        if not finite.all():
            raise VectorsError(
                f"{path}: record {start + int(np.argmin(finite)) + 1}: "
                "expected finite float32 numbers. Received: NaN or infinity"
            )
