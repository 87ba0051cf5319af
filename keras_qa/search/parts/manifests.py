"""What says of a part of an index which files it has, and what of."""

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from typing import TypedDict

from keras_qa.errors import SearchError
from keras_qa.files.locks import RUNNING
from keras_qa.files.locks import OwnerFile
from keras_qa.files.whole import file_digest
from keras_qa.progress import ProgressBar
from keras_qa.search.encoding import PARTS
from keras_qa.search.encoding import Part
from keras_qa.search.index import Settings
from keras_qa.search.index import read_index_file

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
        readable: the `TextReading.readable` by which `unread` was found.
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
    readable: str
    words: int
    unknown: int
    unread: list[int]
    files: dict[str, Stored]


def missing_parts(folder: Path, count: int, answers: Path) -> list[int]:
    """The numbers of the parts, of `count`, that have no manifest yet.

    Raises:
        SearchError: if a part was made of other answers than those of the file.
    """
    missing, digest = [], file_digest(answers)
    for number in range(count):
        path = part_folder(folder, Part(number, count)) / MANIFEST
        if not path.exists():
            missing.append(number)
        elif read_index_file(path, Manifest)["answers_sha256"] != digest:
            raise SearchError(
                f"{path}: expected a part of {answers}; give another --output. "
                "Received: one of other answers"
            )
    return missing


def part_folder(folder: Path, part: Part) -> Path:
    """Where the manifest of a part is."""
    return folder / PARTS / f"{part.number:05d}-of-{part.count:05d}"


def read_manifests(folder: Path, settings: Settings) -> list[Manifest]:
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
        for name in (
            *("shards", "settings", "answers_sha256", "answers"),
            "readable",
        ):
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


def check_files(
    folder: Path, manifests: Sequence[Manifest], show_progress: bool
) -> None:
    """Raises a SearchError that names the files that are not as encoded."""
    damaged: dict[int, list[Path]] = {}
    total = sum(f["bytes"] for m in manifests for f in m["files"].values())
    with ProgressBar(
        total=total, desc="Check", unit="byte", disable=not show_progress
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
