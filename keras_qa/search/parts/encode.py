"""Encodes a part of an index."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from keras_qa.errors import SearchError
from keras_qa.files.locks import RUNNING
from keras_qa.files.locks import OwnerFile
from keras_qa.files.locks import locked
from keras_qa.files.locks import owned_folder
from keras_qa.files.whole import file_digest
from keras_qa.files.whole import write_json
from keras_qa.ranker import Ranker
from keras_qa.search.encoding import PARTS
from keras_qa.search.encoding import Part
from keras_qa.search.encoding import encode_answers
from keras_qa.search.encoding import open_shards
from keras_qa.search.encoding import space_to_store
from keras_qa.search.index import ANSWERS
from keras_qa.search.index import SETTINGS
from keras_qa.search.index import Settings
from keras_qa.search.index import read_index_file
from keras_qa.search.parts.manifests import MANIFEST
from keras_qa.search.parts.manifests import Manifest
from keras_qa.search.parts.manifests import Stored
from keras_qa.search.parts.manifests import part_folder


def encode_part(
    ranker: Ranker,
    answers: str | Path,
    folder: str | Path,
    part: Part,
    *,
    shard_size: int | None = None,
    half: bool = False,
    table: Mapping[str, Any] | None = None,
    show_progress: bool = True,
) -> int:
    """Encodes the answers of a part of an index.

    Several processes may encode parts into the same folder at once. After an
    interruption the same call continues.

    Args:
        ranker: see `build_index`.
        answers: see `build_index`; the same file for all parts.
        folder: the folder of the index. Parts that were encoded into several
            folders are put together by copying all of their files into one.
        part: the part.
        shard_size: see `build_index`.
        half: see `build_index`.
        table: see `build_index`.
        show_progress: True draws a progress bar.

    Returns:
        The number of answers of all parts.

    Raises:
        SearchError: as `build_index`, or if the index is finished.
        DatasetError: if the file of answers is missing or bad.
        OwnedError: if another process encodes this part or builds the index.
        RankerError: if `ranker` was not loaded from files.
    """
    answers, folder = Path(answers), Path(folder)
    space_to_store(ranker.model, half)
    if (folder / ANSWERS).exists():
        raise SearchError(
            f"{folder}: expected an index that is not finished. "
            f"Received: one with {ANSWERS}"
        )
    with owned_folder(part_folder(folder, part)):
        OwnerFile(folder / RUNNING).check()
        with locked(folder / PARTS / "lock"):
            shards = open_shards(ranker, folder, shard_size, half)
        encoded = encode_answers(
            *(ranker, answers, shards, part),
            table=table,
            show_progress=show_progress,
        )
        own = [n for n in sorted(shards.numbers()) if part.has(n)]
        files = [f for n in own for f in sorted(shards.path(n).iterdir())]
        manifest = Manifest(
            shards=part.count,
            shard=part.number,
            settings=asdict(read_index_file(folder / SETTINGS, Settings)),
            answers_sha256=file_digest(answers),
            answers=encoded.answers,
            readable=ranker.reading.readable,
            words=encoded.words,
            unknown=encoded.unknown,
            unread=encoded.unread.tolist(),
            files={
                file.relative_to(folder).as_posix(): Stored(
                    bytes=file.stat().st_size, sha256=file_digest(file)
                )
                for file in files
            },
        )
        write_json(part_folder(folder, part) / MANIFEST, manifest)
    return encoded.answers
