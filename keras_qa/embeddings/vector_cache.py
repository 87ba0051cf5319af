"""Arrays of vectors on disk, each found by the text that it belongs to.

A folder of files that are only added: what was computed before an interruption
is there after it. A file is a NumPy archive without pickles, whose checksums
tell whether it is whole.
"""

import errno
import hashlib
import json
import warnings
import zipfile
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.errors import VectorsWarning
from keras_qa.files.stored_arrays import DAMAGE
from keras_qa.files.stored_arrays import stored_array
from keras_qa.files.whole import write_whole

KEY_BYTES = 16
SUFFIX = ".npz"


def cache_key(value: Any) -> bytes:
    """The key of something that JSON can express: 16 bytes of its digest."""
    text = json.dumps(value).encode()
    return hashlib.blake2b(text, digest_size=KEY_BYTES).digest()


class VectorCache:
    """A folder of arrays of vectors.

    Several processes may use it at the same time: files are written whole
    under names that are told from their keys.

    Args:
        folder: the folder, made with the first file.
    """

    def __init__(self, folder: PathLike):
        self.folder = Path(folder)

    def write(self, entries: Mapping[bytes, np.ndarray]) -> None:
        """Adds one file.

        Args:
            entries: by key, float32 arrays `(n, width)`, n of each its own.
        """
        keys = b"".join(entries)
        name = hashlib.blake2b(keys, digest_size=KEY_BYTES).hexdigest()

        def save(path: Path) -> None:
            np.savez(
                path,
                keys=np.frombuffer(keys, np.uint8).reshape(-1, KEY_BYTES),
                lengths=np.array([len(rows) for rows in entries.values()]),
                vectors=np.concatenate(list(entries.values())),
            )

        write_whole(self.folder / f"{name}{SUFFIX}", save)

    def read(
        self, keys: Collection[bytes]
    ) -> Iterator[tuple[bytes, np.ndarray]]:
        """Finds what is there of some keys, one file in memory at a time.

        A damaged file is removed, with a warning: what was in it is not found
        and can be written again.

        Args:
            keys: the keys.

        Yields:
            A key and its array, float32 `(n, width)`; each key once, in no
            particular order.
        """
        wanted = set(keys)
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            if not wanted:
                return
            try:
                found = _read(path, wanted)
            except (*DAMAGE, OSError) as error:
                # A file that may not be read is not a damaged one.
                if isinstance(error, OSError) and error.errno != errno.EINVAL:
                    raise
                warnings.warn(
                    f"{path}: expected a whole file of vectors; it is removed, "
                    f"and what was in it will be computed again. "
                    f"Received: {error}",
                    VectorsWarning,
                    stacklevel=2,
                )
                path.unlink(missing_ok=True)
                continue
            wanted.difference_update(found)
            yield from found.items()


def _read(path: Path, wanted: Collection[bytes]) -> dict[bytes, np.ndarray]:
    """The arrays in a file that are wanted."""
    # Opened here: NumPy leaves what is no archive open.
    with path.open("rb") as raw, zipfile.ZipFile(raw) as archive:
        keys_read = stored_array(archive, "keys")
        keys = [row.tobytes() for row in keys_read]
        chosen = {key: i for i, key in enumerate(keys) if key in wanted}
        if not chosen and keys_read.dtype == np.uint8:
            return {}
        lengths = stored_array(archive, "lengths")
        vectors = stored_array(archive, "vectors")
    if (
        lengths.dtype.kind != "i"
        or lengths.shape != (len(keys),)
        or (lengths < 0).any()
        or vectors.ndim != 2
        or len(vectors) != lengths.sum()
    ):
        raise ValueError(
            f"{len(keys)} keys, lengths {lengths}, vectors {vectors.shape}"
        )
    if vectors.dtype != np.float32 or not np.isfinite(vectors).all():
        raise ValueError(f"numbers of {vectors.dtype} that are not all finite")
    ends = np.cumsum(lengths)
    starts = ends - lengths
    return {
        key: vectors[starts[i] : ends[i]].copy() for key, i in chosen.items()
    }
