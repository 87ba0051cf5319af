"""The output folder of a run: each file whole or absent, one run per folder."""

import json
import shutil
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keras_qa.atomic import write_whole

SETTINGS = "settings.json"


class RunFolderError(RuntimeError):
    """The folder holds another run, or a run that must not be lost."""


class RunFolder:
    """A folder that belongs to one run, known by its identity.

    Nothing is written before `claim`: bad input must not leave a folder that
    seems to hold a run.

    Args:
        path: the folder.
        identity: what defines the run (model, data, seed, settings, ...), JSON
            values, which `claim` keeps in `settings.json`.
        resume: whether a run that is there already may be continued.

    Raises:
        RunFolderError: if the folder holds a run and `resume` is false, or if
            it holds a run of another identity.
    """

    def __init__(
        self, path: Path, identity: Mapping[str, Any], resume: bool = False
    ):
        self.path = path
        self.identity = identity
        settings = path / SETTINGS
        if settings.exists():
            self._check(settings, identity, resume)

    def claim(self) -> None:
        """Makes the folder and notes whose it is."""
        if not (self.path / SETTINGS).exists():
            self.write_json(SETTINGS, self.identity)

    def _check(
        self, settings: Path, identity: Mapping[str, Any], resume: bool
    ) -> None:
        if not resume:
            raise RunFolderError(
                f"{self.path} holds a run already. Add --resume to go on with "
                "it, or give another --output-dir."
            )
        before = json.loads(settings.read_text("utf-8"))
        now = json.loads(json.dumps(identity))
        changed = sorted(
            name
            for name in before.keys() | now.keys()
            if before.get(name) != now.get(name)
        )
        if changed:
            name = changed[0]
            raise RunFolderError(
                f"{self.path} holds a run with other values of "
                f"{', '.join(changed)}: `{name}` was {before.get(name)!r}. "
                f"Received: {now.get(name)!r}"
            )

    @property
    def finished(self) -> bool:
        """Whether the run is complete: its metrics are written last."""
        return (self.path / "metrics.json").exists()

    def write(self, name: str, save: Callable[[Path], Any]) -> None:
        """Writes a file or folder of the run, whole or not at all.

        Args:
            name: the final name.
            save: writes what it has to write to the path it is given.
        """
        write_whole(self.path / name, save)

    def write_json(self, name: str, content: Any) -> None:
        """Writes a JSON file, indented; NaN is refused."""
        text = json.dumps(content, indent=2, allow_nan=False) + "\n"
        self.write(name, lambda path: path.write_text(text, "utf-8"))

    def read_json(self, name: str) -> Any:
        """Reads a JSON file of the folder."""
        return json.loads((self.path / name).read_text("utf-8"))


def keep_only(path: Path, names: Collection[str]) -> None:
    """Removes what a run has left in its folder but for some files.

    Args:
        path: the folder of a finished run.
        names: the names of the files that stay.
    """
    for item in path.iterdir():
        if item.name in names:
            continue
        if item.is_dir():
            shutil.rmtree(item)
        else:
            item.unlink()
