"""Files and folders that are whole or absent, whenever a script stops."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def write_whole(path: Path | str, save: Callable[[Path], Any]) -> None:
    """Writes a file or folder under a temporary name, then renames it.

    Args:
        path: the final path; the folder that it lies in is made if missing.
        save: writes what it has to write to the path it is given, which lies
            beside `path` and ends with the same name.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".writing-", dir=path.parent))
    try:
        save(scratch / path.name)
        if path.is_dir():
            os.replace(path, scratch / f"old-{path.name}")
        os.replace(scratch / path.name, path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
