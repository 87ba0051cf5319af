"""Downloads the published files of a data set, or says how to get them.

Run it as `keras-qa data fetch NAME`.
"""

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
        path: where it belongs.
        source: where to get it.
        reason: why it was not fetched.
    """

    path: Path
    source: str
    reason: str


def load_catalogue() -> dict[str, Any]:
    """The contents of `downloads.json`.

    Folder name to `licence`, `base_url`, `files` (path below the base URL and
    the folder, size in bytes, SHA-256 of the plain file) and `manual` (path,
    source, reason; perhaps another path at which it is read as well, size and
    SHA-256, and the one data set that needs it). Only a file whose checksum
    is known is downloaded.
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
    """Downloads the files of a data set that are not there yet.

    A file appears under its name only when it is complete and its checksum
    agrees. What an interruption leaves is a `.part` file, with which the next
    call continues. A file that is there, plain or `.gz`, is not replaced.

    Args:
        name: the data set's name.
        data_dir: see `target_folder`.
        catalogue: see `load_catalogue`.
        pause: seconds before a failed download is tried again.

    Returns:
        The files that are still missing, in the order of the catalogue.

    Raises:
        DatasetError: if the catalogue has no such data set.
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
                # A server that does not answer is asked once; a refusal is of
                # one file.
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
        if file.get("only_for", name) != name:
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
    """Why a file that exists is not the published one, or an empty text."""
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
    """Downloads a file; returns why it is of no use, or an empty text."""
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
        # What pooch raises for a checksum. If an old `.part` file was the
        # reason, a download from the start helps.
        except ValueError:
            if not downloader.resumed:
                break
    return "what was downloaded has another checksum"
