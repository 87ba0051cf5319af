"""Loading pre-trained vectors into gensim's `KeyedVectors`.

Every loader reads plain and gzipped files, told apart by content, and takes a
`vocabulary`: the words that are wanted, so that a file of gigabytes is
streamed and only a sliver of it is kept. The vectors are bit for bit those of
gensim's own loaders.

No error in a file is passed over: `VectorsError` names file and
row for a wrong number of columns, a number that is not one, NaN or infinity
for a wanted word, a bad header or a number of rows other than it says, bytes
that are not UTF-8, and files that are empty, cut off or pickles.
`VectorsWarning` counts words that are repeated (the first row is kept) and
words that contain blanks. The numbers of rows that are not wanted are counted
but not parsed.
"""

from collections.abc import Iterable

from gensim.models import KeyedVectors

from keras_qa.embeddings.formats.fasttext import MAGIC as FASTTEXT_MAGIC
from keras_qa.embeddings.formats.fasttext import read_fasttext
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.formats.vector_files import open_stream
from keras_qa.embeddings.formats.word2vec import HEADER
from keras_qa.embeddings.formats.word2vec import read_binary
from keras_qa.embeddings.formats.word2vec import read_text
from keras_qa.errors import VectorsError

SAMPLE_BYTES = 1 << 16
# Everything below a blank but tabs and line ends.
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
        float32 vectors of the wanted words that the file has, in its order.

    Raises:
        VectorsError: if the file is malformed.
        OSError: if it cannot be opened.
    """
    return read_text(path, vocabulary, unicode_errors, header=False)


def load_word2vec_text(
    path: PathLike,
    vocabulary: Iterable[str] | None = None,
    unicode_errors: str = "strict",
) -> KeyedVectors:
    """Loads word2vec text: a line `count dim`, then as GloVe text.

    fastText's `.vec` files are of this format too. Arguments, result and
    errors are those of `load_glove`.
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
        vocabulary: words to make vectors for; None for the whole model.

    Returns:
        Without `vocabulary`, gensim's `FastTextKeyedVectors`, which makes a
        vector for any word. With it, `KeyedVectors` of those of its words
        that get a vector: first the words of the model, in its order, then,
        in alphabetical order, words that are put together from subwords.

    Raises:
        VectorsError: if the file is malformed, quantised or a classifier.
        OSError: if it cannot be opened.
    """
    return read_fasttext(path, vocabulary)


def load_vectors(
    path: PathLike,
    vocabulary: Iterable[str] | None = None,
    unicode_errors: str = "strict",
) -> KeyedVectors:
    """Loads vectors of any of the formats above, told by the content.

    Arguments, result and errors are those of `load_glove`, or for a fastText
    model of `load_fasttext`, which has no use for `unicode_errors`.
    """
    file_format = detect_format(path)
    if file_format == "fasttext":
        return read_fasttext(path, vocabulary)
    if file_format == "word2vec-binary":
        return read_binary(path, vocabulary, unicode_errors)
    header = file_format == "word2vec-text"
    return read_text(path, vocabulary, unicode_errors, header)


def detect_format(path: PathLike) -> str:
    """Tells the format of a file of vectors from its first bytes.

    A file that is malformed may be taken for another format than it was meant
    to be; its loader then names the error.

    Args:
        path: file, plain or gzipped.

    Returns:
        `"fasttext"`, `"word2vec-binary"`, `"word2vec-text"` or `"glove"`.

    Raises:
        VectorsError: if it is none of these.
        OSError: if it cannot be opened.
    """
    with open_stream(path) as stream:
        sample = stream.read(SAMPLE_BYTES)
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
    """Returns True if a header is followed by lines of numbers."""
    line = rows.partition(b"\n")[0].rstrip()
    columns = line.split(b" ")[-dim:]
    try:
        return len([float(column) for column in columns]) == dim
    except ValueError:
        # Text with an error in its first row, or binary.
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
