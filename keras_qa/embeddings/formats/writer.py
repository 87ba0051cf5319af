"""Writing of vectors in the formats of GloVe and word2vec."""

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from typing import cast

from gensim.models import KeyedVectors

from keras_qa.arguments import check_choice
from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.formats.word2vec import FLOAT32
from keras_qa.errors import VectorsError
from keras_qa.files.whole import write_whole
from keras_qa.progress import ProgressBar

FORMATS = ("glove", "word2vec-text", "word2vec-binary")


def save_vectors(
    path: PathLike,
    vectors: KeyedVectors,
    file_format: str = "word2vec-text",
    progress: bool = False,
) -> int:
    """Atomically writes vectors to a file.

    Numbers in text have the fewest digits that determine a float32, and equal
    vectors make equal files.

    Args:
        path: the file; gzipped if the name ends in `.gz`.
        vectors: the vectors; only those of its words for a fastText model.
        file_format: `"glove"`, `"word2vec-text"` or `"word2vec-binary"`.
        progress: True shows a progress bar.

    Returns:
        Number of words that were skipped because they are empty or contain
        white space, which ends a word in these files.

    Raises:
        VectorsError: if all words were skipped.
        ValueError: if `file_format` is unknown.
        OSError: if the file cannot be written.
    """
    check_choice("file_format", file_format, FORMATS)
    every = vectors.index_to_key
    words = [word for word in every if word.split() == [word]]
    if not words:
        raise VectorsError(
            f"{path}: expected words without white space. "
            f"Received: {len(every)} words, none of them so"
        )

    def save(scratch: Path) -> None:
        with _opened(scratch) as file:
            if file_format != "glove":
                file.write(f"{len(words)} {vectors.vector_size}\n".encode())
            for word in ProgressBar(words, unit=" words", disable=not progress):
                row = vectors.get_vector(word).astype(FLOAT32)
                if file_format == "word2vec-binary":
                    file.write(f"{word} ".encode() + row.tobytes() + b"\n")
                else:
                    file.write(f"{word} {' '.join(map(str, row))}\n".encode())

    write_whole(Path(path), save)
    return len(every) - len(words)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    with path.open("wb") as file:
        if path.suffix != ".gz":
            yield file
            return
        # Without time and file name, equal vectors give equal files.
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            buffered = io.BufferedWriter(cast(io.RawIOBase, packed))
            yield cast(BinaryIO, buffered)
            buffered.flush()
