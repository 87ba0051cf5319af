"""An index whose answers are encoded in parts, on one machine or on many.

Each part is encoded by a call of its own, which any scheduler can start, and
leaves a manifest: what it was made of, and the size and SHA-256 of its files.
`merge_parts` checks the manifests and files, and finishes the index.
"""

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from typing import TypedDict

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.files.locks import RUNNING
from keras_qa.files.locks import OwnerFile
from keras_qa.files.locks import locked
from keras_qa.files.locks import owned_folder
from keras_qa.files.whole import file_digest
from keras_qa.files.whole import remove_scratch
from keras_qa.progress import ProgressBar
from keras_qa.ranker import Ranker
from keras_qa.search.build import check_kind
from keras_qa.search.build import finish_index
from keras_qa.search.encoding import PARTS
from keras_qa.search.encoding import Encoded
from keras_qa.search.encoding import Part
from keras_qa.search.encoding import encode_answers
from keras_qa.search.encoding import open_shards
from keras_qa.search.encoding import space_to_store
from keras_qa.search.encoding import write_json
from keras_qa.search.index import ANSWERS
from keras_qa.search.index import SETTINGS
from keras_qa.search.index import Settings
from keras_qa.search.index import read_index_file
from keras_qa.search.index import stored_shards
from keras_qa.search.searchable import space_of
from keras_qa.search.token_search import TokenSpace

MANIFEST = "manifest.json"
# As many missing or damaged parts are named.
NAMED = 5


class Stored(TypedDict):
    """A file of a manifest: its size in bytes and its SHA-256."""

    bytes: int
    sha256: str


class Manifest(TypedDict):
    """Content of a part's `manifest.json`.

    Attributes:
        shards: the number of parts.
        shard: the part's number, from 0.
        settings: the index's `Settings`, with the digest of the model.
        answers_sha256: digest of the file of all answers.
        answers: number of all answers, of other parts too.
        words: number of words of the part's answers.
        unknown: number of those that the model does not know.
        unread: numbers of the part's answers that are not readable, ascending.
        files: the part's files, by their path in the index's folder.
    """

    shards: int
    shard: int
    settings: dict[str, Any]
    answers_sha256: str
    answers: int
    words: int
    unknown: int
    unread: list[int]
    files: dict[str, Stored]


def encode_part(
    ranker: Ranker,
    answers: Path,
    folder: Path,
    part: Part,
    *,
    shard_size: int | None = None,
    half: bool = False,
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
        show_progress: True draws a progress bar.

    Returns:
        The number of answers of all parts.

    Raises:
        SearchError: as `build_index`, or if the index is finished.
        DatasetError: if the file of answers is missing or bad.
        OwnedError: if another process encodes this part or builds the index.
        RankerError: if `ranker` was not loaded from files.
    """
    space_to_store(ranker.model, half)
    if (folder / ANSWERS).exists():
        raise SearchError(
            f"{folder}: expected an index that is not finished. "
            f"Received: one with {ANSWERS}"
        )
    with owned_folder(_part_folder(folder, part)):
        OwnerFile(folder / RUNNING).check()
        with locked(folder / PARTS / "lock"):
            shards = open_shards(ranker, folder, shard_size, half)
        encoded = encode_answers(
            ranker, answers, shards, part, show_progress=show_progress
        )
        own = [n for n in sorted(shards.numbers()) if part.has(n)]
        files = [f for n in own for f in sorted(shards.path(n).iterdir())]
        manifest = Manifest(
            shards=part.count,
            shard=part.number,
            settings=asdict(read_index_file(folder / SETTINGS, Settings)),
            answers_sha256=file_digest(answers),
            answers=encoded.answers,
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
        write_json(_part_folder(folder, part) / MANIFEST, manifest)
    return encoded.answers


def merge_parts(
    folder: Path, kind: str = "flat", show_progress: bool = True
) -> int:
    """Finishes an index whose parts are all encoded.

    The index is the one that `build_index` would have built.

    Args:
        folder: the folder with the files of all parts.
        kind: see `build_index`.
        show_progress: True draws progress bars.

    Returns:
        The number of answers.

    Raises:
        ImportError: if FAISS is not installed and needed.
        SearchError: if parts are missing, damaged, or of different answers,
            models or settings, with the commands that encode them.
        OwnedError: if another process writes to the folder.
        RankerError: if the folder's model cannot be loaded.
    """
    with owned_folder(folder):
        settings = read_index_file(folder / SETTINGS, Settings)
        manifests = _manifests(folder, settings)
        ranker = Ranker.load(folder / "model", settings.tokenizer)
        space = space_of(ranker.model)
        check_kind(kind, space)
        _check_files(folder, manifests, show_progress)
        tokens = isinstance(space, TokenSpace)
        shards = stored_shards(folder, settings, tokens)
        for written in (folder, shards.folder):
            remove_scratch(written)
        total = manifests[0]["answers"]
        encoded = Encoded(
            answers=total,
            words=sum(m["words"] for m in manifests),
            unknown=sum(m["unknown"] for m in manifests),
            unread=np.sort(
                [row for m in manifests for row in m["unread"]]
            ).astype(np.int64),
        )
        finish_index(folder, space, shards, encoded, kind, show_progress)
    return total


def missing_parts(folder: Path, count: int) -> list[int]:
    """The numbers of the parts, of `count`, that have no manifest yet."""
    return [
        number
        for number in range(count)
        if not (_part_folder(folder, Part(number, count)) / MANIFEST).exists()
    ]


def _part_folder(folder: Path, part: Part) -> Path:
    return folder / PARTS / f"{part.number:05d}-of-{part.count:05d}"


def _manifests(folder: Path, settings: Settings) -> list[Manifest]:
    """The manifests of all parts, which were made of the same things.

    Raises:
        SearchError: if one is missing or differs.
        OwnedError: if a part is being encoded.
    """
    found: list[Manifest] = []
    for path in sorted((folder / PARTS).glob(f"*/{MANIFEST}")):
        OwnerFile(path.with_name(RUNNING)).check()
        manifest = read_index_file(path, Manifest)
        first = (
            found[0] if found else {**manifest, "settings": asdict(settings)}
        )
        for name in ("shards", "settings", "answers_sha256", "answers"):
            if manifest[name] != first[name]:
                raise SearchError(
                    f"{path}: expected a part of the same model, settings and "
                    f"answers as the others, `{name}` {first[name]}; encode "
                    "it again into another folder. "
                    f"Received: {manifest[name]}"
                )
        found.append(manifest)
    if not found:
        raise SearchError(
            f"{folder}: expected parts that `keras-qa index --shards K "
            "--shard I` has encoded. Received: no manifest"
        )
    count = found[0]["shards"]
    missing = set(range(count)) - {manifest["shard"] for manifest in found}
    if missing:
        raise SearchError(
            f"{folder}: expected {count} parts. Received: {len(found)}; "
            + _commands(folder, sorted(missing), count)
        )
    return found


def _check_files(
    folder: Path, manifests: Sequence[Manifest], show_progress: bool
) -> None:
    """Raises a SearchError that names the files that are not as encoded."""
    damaged: dict[int, list[Path]] = {}
    total = sum(f["bytes"] for m in manifests for f in m["files"].values())
    with ProgressBar(
        total=total, desc="Check", unit="B", disable=not show_progress
    ) as bar:
        for manifest in manifests:
            for name, stored in manifest["files"].items():
                path = folder / name
                if (
                    not path.is_file()
                    or path.stat().st_size != stored["bytes"]
                    or file_digest(path) != stored["sha256"]
                ):
                    damaged.setdefault(manifest["shard"], []).append(path)
                bar.update(stored["bytes"])
    if damaged:
        (path, *others) = (p for paths in damaged.values() for p in paths)
        raise SearchError(
            f"{path}: expected the file that the manifest describes. Received: "
            f"another or none, as of {len(others)} further files; remove the "
            f"damaged folders, here {path.parent}, and "
            + _commands(folder, sorted(damaged), manifests[0]["shards"])
        )


def _commands(folder: Path, numbers: Sequence[int], count: int) -> str:
    """How parts are encoded."""

    def lines() -> Iterator[str]:
        for number in numbers[:NAMED]:
            yield (
                f"  keras-qa index RANKER --answers FILE --output {folder} "
                f"--shards {count} --shard {number}"
            )
        if len(numbers) > NAMED:
            yield f"  and for {len(numbers) - NAMED} further parts"

    return "\n".join(["encode what is missing:", *lines()])
