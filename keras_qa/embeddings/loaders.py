"""Loading of pre-trained vectors into gensim's `KeyedVectors`.

Every loader reads plain and gzipped files, which it distinguishes by content.
With a `vocabulary`, the file is streamed and only the vectors of these words
are kept. Vectors are bit-identical to those of gensim's loaders.

A `VectorsError` names the file and, where possible, the row of a wrong number
of columns, a malformed number, NaN or infinity, a bad header, a number of rows
other than the header's, or bytes that are not UTF-8, and reports empty files,
truncated files and pickles. A `VectorsWarning` counts repeated words (the first
row is kept) and words that contain spaces. The numbers of unwanted rows are
counted but not parsed.
"""

import codecs
from collections.abc import Iterable

from gensim.models import KeyedVectors

from keras_qa.embeddings.formats.fasttext import MAGIC as FASTTEXT_MAGIC
from keras_qa.embeddings.formats.fasttext import read_fasttext
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.formats.vector_files import open_stream
from keras_qa.embeddings.formats.word2vec import HEADER
from keras_qa.embeddings.formats.word2vec import check_first_line
from keras_qa.embeddings.formats.word2vec import read_binary
from keras_qa.embeddings.formats.word2vec import read_text
from keras_qa.errors import VectorsError

SAMPLE_BYTES = 1 << 16
# All control characters except tabs and line ends.
CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\v\f\r"))


def load_glove(
    path: PathLike,
    vocabulary: Iterable[str] | None = None,
    unicode_errors: str = "strict",
) -> KeyedVectors:
    """Loads GloVe text: a word and its numbers per line, no header.

    Args:
        path: file, plain or gzipped.
        vocabulary: words to keep; None for all.
        unicode_errors: error handler of `bytes.decode` for the words.

    Returns:
        float32 vectors of the wanted words that the file contains, in the
        order of the file.

    Raises:
        VectorsError: if the file cannot be opened or is malformed.
    """
    return read_text(path, vocabulary, unicode_errors, header=False)


def load_word2vec_text(
    path: PathLike,
    vocabulary: Iterable[str] | None = None,
    unicode_errors: str = "strict",
) -> KeyedVectors:
    """Loads word2vec text: GloVe text after a line `count dim`.

    fastText's `.vec` files also have this format. Arguments, result and errors
    are those of `load_glove`.
    """
    return read_text(path, vocabulary, unicode_errors, header=True)


def load_word2vec_binary(
    path: PathLike,
    vocabulary: Iterable[str] | None = None,
    unicode_errors: str = "strict",
) -> KeyedVectors:
    """Loads the binary format of word2vec, such as the Google News vectors.

    Arguments, result and errors are those of `load_glove`.
    """
    return read_binary(path, vocabulary, unicode_errors)


def load_fasttext(
    path: PathLike, vocabulary: Iterable[str] | None = None
) -> KeyedVectors:
    """Loads a fastText model (`.bin`) with its subwords.

    Args:
        path: file, plain or gzipped.
        vocabulary: words to compute vectors for; None loads the model.

    Returns:
        Without `vocabulary`, gensim's `FastTextKeyedVectors`, which computes
        vectors of unknown words from subwords. With it, `KeyedVectors` of its
        words that have a vector: first the words of the model, in the model's
        order, then, in alphabetical order, words composed of subwords.

    Raises:
        VectorsError: if the file cannot be opened, is malformed, quantised or a
            classifier.
    """
    return read_fasttext(path, vocabulary)


def load_vectors(
    path: PathLike,
    vocabulary: Iterable[str] | None = None,
    unicode_errors: str = "strict",
) -> KeyedVectors:
    """Loads vectors of any of these formats, detected by the content.

    Arguments, result and errors are those of `load_glove`, or of
    `load_fasttext` for a fastText model, which ignores `unicode_errors`.
    """
    file_format = detect_format(path)
    if file_format == "fasttext":
        return read_fasttext(path, vocabulary)
    if file_format == "word2vec-binary":
        return read_binary(path, vocabulary, unicode_errors)
    header = file_format == "word2vec-text"
    return read_text(path, vocabulary, unicode_errors, header)


def check_vectors(path: PathLike) -> None:
    """Checks the first bytes of a file of vectors, which takes no time.

    Raises:
        VectorsError: if they are of none of the formats, or the first line of
            a text is malformed.
        OSError: if the file cannot be opened.
    """
    file_format = detect_format(path)
    if file_format in ("glove", "word2vec-text"):
        check_first_line(path, header=file_format == "word2vec-text")


def detect_format(path: PathLike) -> str:
    """Detects the format of a file of vectors from its first bytes.

    For a malformed file, another format may be detected, whose loader then
    raises the error.

    Args:
        path: file, plain or gzipped.

    Returns:
        `"fasttext"`, `"word2vec-binary"`, `"word2vec-text"` or `"glove"`.

    Raises:
        VectorsError: if the file cannot be opened or has none of these formats.
    """
    with open_stream(path) as stream:
        sample = stream.read(SAMPLE_BYTES).removeprefix(codecs.BOM_UTF8)
    if sample.startswith(FASTTEXT_MAGIC):
        return "fasttext"
    first, _, rest = sample.partition(b"\n")
    header = HEADER.match(first)
    if header:
        text = _is_text(rest, dim=int(header[2]))
        return "word2vec-text" if text else "word2vec-binary"
    if _has_control_bytes(first):
        raise VectorsError(
            f"{path}: expected GloVe text, word2vec text or binary, or a "
            f"fastText model. Received: a file that starts with {first[:20]!r}"
        )
    return "glove"


def _is_text(rows: bytes, dim: int) -> bool:
    """Returns True if the rows after a header are text."""
    line = rows.partition(b"\n")[0].rstrip()
    columns = line.split(b" ")[-dim:]
    try:
        return len([float(column) for column in columns]) == dim
    except ValueError:
        # Either text with an error in its first row, or binary.
        return not _has_control_bytes(rows) and _is_utf8(rows)


def _has_control_bytes(sample: bytes) -> bool:
    return len(sample.translate(None, delete=CONTROL_BYTES)) < len(sample)


def _is_utf8(sample: bytes) -> bool:
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as error:
        # The sample may end within a character.
        return len(sample) - error.start < 4
    return True
