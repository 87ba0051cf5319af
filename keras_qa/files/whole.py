"""Files and folders that are whole or absent, whenever a script stops."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

# What the names of folders begin with that a killed process may leave.
SCRATCH = ".writing-"
_OLD = "old-"


def write_whole(path: Path | str, save: Callable[[Path], Any]) -> None:
    """Writes a file or folder under a temporary name, then renames it.

    A file has reached the disk before it takes the place of an older one. A
    folder that takes another's place is absent for a moment in between;
    `remove_scratch` puts it there if the process was killed in this moment.

    Args:
        path: the final path; the folder that it lies in is made if missing.
        save: writes what it has to write to the path it is given, which is
            in the same file system and ends with the same name.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=path.parent))
    old = scratch / f"{_OLD}{path.name}"
    try:
        save(scratch / path.name)
        _sync(scratch / path.name)
        if path.is_dir():
            os.replace(path, old)
        try:
            os.replace(scratch / path.name, path)
        except OSError:
            if old.exists():
                os.replace(old, path)
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def remove_scratch(folder: Path) -> None:
    """Removes what killed processes were writing to a folder.

    A folder that was whole, and had only to take an older one's place, does so.

    Args:
        folder: a folder that no other process writes to now.
    """
    for path in folder.glob(f"{SCRATCH}*"):
        # The older folder is out of its place only when the newer is whole.
        for old in path.glob(f"{_OLD}*"):
            name = old.name.removeprefix(_OLD)
            if (path / name).exists() and not (folder / name).exists():
                os.replace(path / name, folder / name)
        shutil.rmtree(path, ignore_errors=True)


def _sync(path: Path) -> None:
    """Waits until a file, or all files of a folder, are on the disk."""
    files = path.rglob("*") if path.is_dir() else [path]
    for file in files:
        if file.is_file():
            descriptor = os.open(file, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
