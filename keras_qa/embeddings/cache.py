"""A cache on disk of the vectors that encoders computed.

The cache has a folder, a `VectorCache`, for each encoder and choice of layers,
named by a digest of these and of the encoder's files; its file about.json
describes them. In it, a text is found by its words.

Files are only added to a `VectorCache`, and an interruption keeps those that
are complete. A file is a NumPy archive without pickles, whose checksums show
damage.
"""

import errno
import hashlib
import json
import os
import warnings
import zipfile
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.texts import Text
from keras_qa.errors import VectorsWarning
from keras_qa.files.stored_arrays import DAMAGE
from keras_qa.files.stored_arrays import stored_array
from keras_qa.files.whole import write_text
from keras_qa.files.whole import write_whole
from keras_qa.progress import ProgressBar

KEY_BYTES = 16
SUFFIX = ".npz"
# Number of words in a file of the cache, which an interruption can lose.
SHARD_WORDS = 4096


@dataclass(frozen=True)
class Identity:
    """The identity of an encoder's vectors in the cache.

    Attributes:
        label: the kind of encoder, such as "BERT"; in lower case it names the
            folder.
        source: the path of the encoder's files, for information only.
        about: all that the vectors depend on, as JSON values: a version, which
            changes when the same texts get other vectors, a digest of the
            encoder's files, and the layers.
    """

    label: str
    source: str
    about: Mapping[str, Any]


def default_cache_dir() -> Path:
    """`$KERAS_QA_CACHE` if set, else `.keras_qa/cache` in the home folder."""
    folder = os.environ.get("KERAS_QA_CACHE")
    if folder:
        return Path(folder).expanduser()
    return Path.home() / ".keras_qa" / "cache"


def computed_once(
    identity: Identity,
    kind: str,
    texts: Sequence[Text],
    encode: Callable[[list[Text]], list[np.ndarray]],
    cache_dir: PathLike | None = None,
    progress: bool = True,
) -> Iterator[tuple[int, np.ndarray]]:
    """Reads vectors from the cache, or computes and caches them.

    Args:
        identity: the encoder.
        kind: name of the kind of vectors, part of the keys.
        texts: distinct texts, each of at least one word.
        encode: computes the vectors of texts, float32 `(words, width)` each.
        cache_dir: folder for all encoders; None takes `default_cache_dir()`.
        progress: True shows a progress bar if vectors must be computed.

    Yields:
        Number of a text and its vectors, in no particular order.
    """
    folder = Path(cache_dir or default_cache_dir()).expanduser()
    cache = _open_cache(identity, folder)
    missing = {cache_key([kind, *text]): i for i, text in enumerate(texts)}
    for key, rows in cache.read(missing):
        yield missing.pop(key), rows
    total = sum(map(len, texts))
    left = sum(len(texts[i]) for i in missing.values())
    with ProgressBar(
        total=total,
        initial=total - left,
        desc=f"{identity.label}, {kind}s",
        unit=" words",
        disable=not (progress and missing),
    ) as bar:
        for keys in _shards(missing, texts):
            chosen = [missing[key] for key in keys]
            computed = encode([texts[i] for i in chosen])
            cache.write(dict(zip(keys, computed, strict=True)))
            bar.update(sum(map(len, computed)))
            yield from zip(chosen, computed, strict=True)


def cache_key(value: Any) -> bytes:
    """The key of a JSON value: a digest of `KEY_BYTES` bytes."""
    text = json.dumps(value).encode()
    return hashlib.blake2b(text, digest_size=KEY_BYTES).digest()


class VectorCache:
    """A folder of arrays of vectors.

    Several processes may use it at the same time: files are written atomically
    under names that depend on their keys.

    Args:
        folder: the folder, created with the first file.
    """

    def __init__(self, folder: PathLike):
        self.folder = Path(folder)

    def write(self, entries: Mapping[bytes, np.ndarray]) -> None:
        """Adds one file.

        Args:
            entries: float32 arrays `(n, width)` of any n, by key.
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
        """Streams the arrays of the given keys that the folder contains.

        One file is in memory at a time. A damaged file is removed with a
        `VectorsWarning`, and its arrays are not found.

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
            except FileNotFoundError:
                # Another process has removed it.
                continue
            except (*DAMAGE, OSError) as error:
                # Other errors of the operating system are no damage.
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


def _open_cache(identity: Identity, cache_dir: Path) -> VectorCache:
    about = dict(identity.about)
    folder = cache_dir / identity.label.lower() / cache_key(about).hex()
    if not (folder / "about.json").is_file():
        text = json.dumps({"source": identity.source, **about}, indent=1)
        write_text(folder / "about.json", text)
    return VectorCache(folder)


def _shards(
    missing: dict[bytes, int], texts: Sequence[Text]
) -> Iterator[list[bytes]]:
    """The keys of each new file, with texts of similar lengths together."""
    shard: list[bytes] = []
    words = 0
    for key in sorted(missing, key=lambda key: -len(texts[missing[key]])):
        shard.append(key)
        words += len(texts[missing[key]])
        if words >= SHARD_WORDS:
            yield shard
            shard, words = [], 0
    if shard:
        yield shard


def _read(path: Path, wanted: Collection[bytes]) -> dict[bytes, np.ndarray]:
    """The wanted arrays of a file."""
    # Opened here, because NumPy does not close a file that is no archive.
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
