"""Downloading of published data sets, as `keras-qa data fetch NAME` does."""

import gzip
import hashlib
import json
import logging
import urllib.error
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import pooch

from keras_qa.arguments import check_choice
from keras_qa.datasets.registry import FOLDERS
from keras_qa.datasets.registry import default_data_dir
from keras_qa.datasets.resuming import ResumingDownloader
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import READ_ERRORS
from keras_qa.files.text_files import find_file


@dataclass(frozen=True)
class Missing:
    """A file that could not be fetched.

    Attributes:
        path: the path at which the file is expected.
        source: the place to get the file from.
        reason: the reason why the file was not fetched.
    """

    path: Path
    source: str
    reason: str


def load_catalogue() -> dict[str, Any]:
    """The content of `downloads.json`, by folder name.

    An entry has `licence`, `base_url`, `files` to download (`path` below the
    base URL and the folder, `size` in bytes, `sha256` of the plain file) and
    files to get by hand, `manual` (`path`, `source`, `reason`, and optionally
    `also`, a second path; `size`; `sha256`; and `only_for`, the one data set
    that needs the file, or a list).
    """
    file = resources.files("keras_qa.datasets").joinpath("downloads.json")
    return json.loads(file.read_text("utf-8"))


def target_folder(name: str, data_dir: Path | None = None) -> Path:
    """The folder that `fetch` fills.

    Args:
        name: the data set's name.
        data_dir: the parent of the data set's folder, or that folder itself
            if it has the usual name; None takes `default_data_dir()`.
    """
    parent = Path(data_dir) if data_dir else default_data_dir()
    return parent if parent.name == FOLDERS[name] else parent / FOLDERS[name]


def fetch(
    name: str,
    data_dir: Path | None = None,
    catalogue: Mapping[str, Any] | None = None,
    pause: float = 1.0,
) -> list[Missing]:
    """Downloads the missing files of a data set.

    A file gets its name only when it is complete and its checksum agrees. An
    interruption leaves a `.part` file, with which the next call continues. An
    existing file, plain or `.gz`, is not replaced.

    Args:
        name: the data set's name.
        data_dir: see `target_folder`.
        catalogue: see `load_catalogue`; None takes the library's.
        pause: seconds before a failed download is tried again.

    Returns:
        The files that are still missing or have another checksum, in the
        order of the catalogue.

    Raises:
        DatasetError: if the catalogue lacks the data set.
    """
    catalogue = catalogue or load_catalogue()
    names = [n for home in catalogue for n, f in FOLDERS.items() if f == home]
    check_choice("name", name, names, error=DatasetError)
    folder = target_folder(name, data_dir)
    entry = catalogue[FOLDERS[name]]
    return [
        *_fetch_files(folder, entry, pause),
        *_missing_files(name, folder, entry),
    ]


def _fetch_files(
    folder: Path, entry: Mapping[str, Any], pause: float
) -> Iterator[Missing]:
    unreachable = ""
    for file in entry["files"]:
        url = entry["base_url"] + file["path"]
        path = find_file(folder, file["path"])
        if path is None:
            path = folder / file["path"]
            try:
                reason = unreachable or _download(url, path, file, pause)
            except OSError as error:
                reason = f"the download failed ({error})"
                # An HTTP error concerns one file; after other errors, no
                # further file is requested.
                if not isinstance(error, urllib.error.HTTPError):
                    unreachable = reason
        else:
            reason = _wrong_checksum(path, file)
        if reason:
            yield Missing(path, url, reason)


def _missing_files(
    name: str, folder: Path, entry: Mapping[str, Any]
) -> Iterator[Missing]:
    for file in entry["manual"]:
        needed = file.get("only_for", name)
        if name not in ([needed] if isinstance(needed, str) else needed):
            continue
        path = find_file(folder, file["path"])
        if path is None and "also" in file:
            path = find_file(folder, file["also"])
        if path is None:
            path, reason = folder / file["path"], file["reason"]
        else:
            reason = _wrong_checksum(path, file)
        if reason:
            yield Missing(path, file["source"], reason)


def _wrong_checksum(path: Path, file: Mapping[str, Any]) -> str:
    """The reason why an existing file is not the published one, or `""`."""
    if "sha256" not in file:
        return ""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except READ_ERRORS as error:
        return f"the file that is there cannot be read ({error})"
    if found == file["sha256"]:
        return ""
    return "the file that is there has another checksum; move it away first"


def _download(
    url: str, path: Path, file: Mapping[str, Any], pause: float
) -> str:
    """Downloads a file; returns the reason for a failure, or `""`."""
    part = path.with_name(f"{path.name}.part")
    downloader = ResumingDownloader(
        part, file["size"], file["path"], pause=pause
    )
    pooch.get_logger().setLevel(logging.WARNING)
    path.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(2):
        try:
            pooch.retrieve(
                url,
                known_hash=f"sha256:{file['sha256']}",
                fname=path.name,
                path=path.parent,
                downloader=downloader,
            )
            return ""
        # pooch raises it for a wrong checksum. If the download continued an
        # old `.part` file, it is repeated from the start.
        except ValueError:
            if not downloader.resumed:
                break
    return "what was downloaded has another checksum"
