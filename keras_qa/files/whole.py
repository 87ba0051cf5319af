"""Atomic writing of files and folders."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

# The beginning of the names of temporary folders, which killed processes leave.
SCRATCH = ".writing-"
_OLD = "old-"


def write_whole(path: Path | str, save: Callable[[Path], Any]) -> None:
    """Writes a file or folder under a temporary name, then renames it.

    Data is on disk before an older file or folder is replaced; of a symbolic
    link, that which it points to, so that it stays on its disk. While a folder
    is replaced, `path` is briefly missing; if the process is killed at this
    moment, `remove_scratch` finishes the replacement.

    Args:
        path: the final path; its parent folder is created if missing.
        save: writes the file or folder to the path that it is given, which is
            in the same file system and has the same name.

    Raises:
        IsADirectoryError: if `save` writes a file and `path` is a folder,
            which stays.
    """
    path = _real(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=path.parent))
    old = scratch / f"{_OLD}{path.name}"
    try:
        _save(scratch / path.name, save, path)
        try:
            if path.is_dir():
                if not (scratch / path.name).is_dir():
                    raise IsADirectoryError(
                        f"A file cannot replace a folder. Received: {path}"
                    )
                os.replace(path, old)
            os.replace(scratch / path.name, path)
        # Ctrl-C, too, must not lose the older folder.
        except BaseException:
            if old.exists() and not path.exists():
                os.replace(old, path)
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _save(scratch: Path, save: Callable[[Path], Any], path: Path) -> None:
    """Saves to `scratch`; an error that names no file gets `path`."""
    try:
        save(scratch)
        _sync(scratch)
    except OSError as error:
        # Of a full disk, the system says what happened, and not to what.
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def refuse_existing(*paths: Path | str) -> None:
    """Raises an error if an output is there already.

    Called before a long training, it spares one whose result could not be
    saved.

    Args:
        *paths: the files and folders that will be written.

    Raises:
        FileExistsError: naming the first path that exists.
    """
    for path in map(Path, paths):
        if path.exists():
            raise FileExistsError(
                "An output must not exist yet; remove or rename what is "
                f"there. Received: {path}"
            )


def check_writable(
    path: Path | str, option: str = "--output", *, inside: bool = False
) -> None:
    """Checks, before any work, that an output can be written to its place.

    It looks at the nearest folder that exists, and writes nothing.

    Args:
        path: the file or folder that will be written.
        option: the option that names it.
        inside: True if files will be written into the folder `path`; False if
            `path` will be written by `write_whole`.

    Raises:
        OSError: if a file is where a folder must be, or the folder cannot be
            written to.
    """
    if not (inside or Path(path).name):
        raise OSError(f"{option} must name a new place. Received: {path}")
    place = _real(path).absolute()
    if not inside:
        place = place.parent
    while not place.exists():
        place = place.parent
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return
    what = "cannot be written to" if place.is_dir() else "is a file"
    raise OSError(
        f"{option} must be {'' if inside else 'in '}a folder that can be "
        f"written to. Received: {path}, but {place} {what}"
    )


def json_saver(content: Any) -> Callable[[Path], Any]:
    """What writes an indented JSON file, for `write_whole`.

    Raises:
        ValueError: if there is a NaN or an infinity.
    """
    text = json.dumps(content, indent=2, allow_nan=False) + "\n"
    return lambda path: path.write_text(text, "utf-8")


def write_text(path: Path | str, text: str) -> None:
    """Writes a file of text in UTF-8 by `write_whole`."""
    write_whole(path, lambda part: part.write_text(text, "utf-8"))


def write_json(path: Path, content: Any) -> None:
    """Writes a JSON file by `write_whole`; see `json_saver`."""
    write_whole(path, json_saver(content))


def remove_scratch(folder: Path) -> None:
    """Removes incomplete files and folders that killed processes left.

    An interrupted replacement of a folder (see `write_whole`) is finished.

    Args:
        folder: a folder to which no other process is writing.
    """
    for path in folder.glob(f"{SCRATCH}*"):
        # The older folder is moved here only after the newer is complete.
        for old in path.glob(f"{_OLD}*"):
            name = old.name.removeprefix(_OLD)
            if (path / name).exists() and not (folder / name).exists():
                os.replace(path / name, folder / name)
        shutil.rmtree(path, ignore_errors=True)


def _real(path: Path | str) -> Path:
    path = Path(path)
    return path.resolve() if path.is_symlink() else path


def _sync(path: Path) -> None:
    """Waits until a file, or all files of a folder, are on disk."""
    files = path.rglob("*") if path.is_dir() else [path]
    for file in files:
        if file.is_file():
            descriptor = os.open(file, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def file_digest(path: Path | str) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
