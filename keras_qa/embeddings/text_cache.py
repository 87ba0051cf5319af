"""What an encoder computed is kept on disk, and computed once.

Under the folder of the cache, a folder for each encoder and choice of layers,
told apart by a digest of the encoder's files, holds a `VectorCache`; its file
about.json says whose it is. In it, a text is found by its words.
"""

import json
import os
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from keras_qa.embeddings.formats.vector_files import PathLike
from keras_qa.embeddings.texts import Text
from keras_qa.embeddings.vector_cache import VectorCache
from keras_qa.embeddings.vector_cache import cache_key
from keras_qa.files.whole import write_whole

# Words in a file of the cache: what an interruption can lose.
SHARD_WORDS = 4096


@dataclass(frozen=True)
class Identity:
    """Whose vectors they are.

    Attributes:
        label: the kind of encoder, such as "BERT"; in lower case it names the
            folder.
        source: where its files are, for people.
        about: what its vectors depend on, as JSON can express it: a version,
            to be raised when the same texts would be given other vectors, a
            digest of its files, and the layers.
    """

    label: str
    source: str
    about: Mapping[str, Any]


def default_cache_dir() -> Path:
    """`$KERAS_QA_CACHE` if it is set, else `.keras_qa/cache` at home."""
    folder = os.environ.get("KERAS_QA_CACHE")
    return Path(folder) if folder else Path.home() / ".keras_qa" / "cache"


def computed_once(
    identity: Identity,
    kind: str,
    texts: Sequence[Text],
    encode: Callable[[list[Text]], list[np.ndarray]],
    cache_dir: PathLike | None = None,
    progress: bool = True,
) -> Iterator[tuple[int, np.ndarray]]:
    """Vectors from the cache, or computed and put there.

    Args:
        identity: the encoder.
        kind: what `encode` computes, part of the keys.
        texts: distinct texts, each of at least one word.
        encode: computes the vectors of texts, float32 `(words, width)` each.
        cache_dir: folder for all encoders; None takes `default_cache_dir()`.
        progress: whether to show a progress bar if there is something to
            compute.

    Yields:
        Number of a text and its vectors, in no particular order.
    """
    cache = _open_cache(identity, Path(cache_dir or default_cache_dir()))
    missing = {cache_key([kind, *text]): i for i, text in enumerate(texts)}
    for key, rows in cache.read(missing):
        yield missing.pop(key), rows
    total = sum(map(len, texts))
    left = sum(len(texts[i]) for i in missing.values())
    with tqdm(
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


def _open_cache(identity: Identity, cache_dir: Path) -> VectorCache:
    about = dict(identity.about)
    folder = cache_dir / identity.label.lower() / cache_key(about).hex()
    if not (folder / "about.json").is_file():
        text = json.dumps({"source": identity.source, **about}, indent=1)
        write_whole(folder / "about.json", lambda path: path.write_text(text))
    return VectorCache(folder)


def _shards(
    missing: dict[bytes, int], texts: Sequence[Text]
) -> Iterator[list[bytes]]:
    """Keys for one file after the other, texts of like lengths together."""
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
