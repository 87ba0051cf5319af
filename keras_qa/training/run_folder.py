"""The output folder of a run: one run per folder, no partial files."""

import json
import shutil
import tempfile
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from keras_qa import hosts
from keras_qa.errors import OwnedError
from keras_qa.errors import RunFolderError
from keras_qa.files import checks
from keras_qa.files.checks import fits
from keras_qa.files.locks import RUNNING
from keras_qa.files.locks import OwnerFile
from keras_qa.files.text_files import shorten
from keras_qa.files.whole import SCRATCH
from keras_qa.files.whole import json_saver
from keras_qa.files.whole import remove_scratch
from keras_qa.files.whole import write_whole

SETTINGS = "settings.json"
METRICS = "metrics.json"
HISTORY = "history.csv"


class RunFolder:
    """A folder that belongs to one run, which its identity defines.

    Nothing is written before `claim`, so that bad input leaves no folder that
    seems to contain a run. Any run may claim a folder with settings and no
    other file.

    Of the processes of several hosts, the first checks, locks and writes; the
    others wait until it has claimed the folder, written a file, or left the
    block of `claim`.

    Args:
        path: the folder.
        identity: JSON values that define the run (model, data, seed, settings,
            ...), which `claim` writes to `settings.json`.
        resume: True if a run in the folder may be continued.

    Raises:
        RunFolderError: if the folder contains a run and `resume` is False, or
            a run with another identity, or if another process writes to it.
    """

    def __init__(
        self,
        path: Path | str,
        identity: Mapping[str, Any],
        resume: bool = False,
    ):
        self.path = Path(path)
        self.identity = identity
        self.resume = resume
        self._owner = OwnerFile(self.path / RUNNING)
        self._check()

    def claim(self) -> "RunFolder":
        """Makes the folder, locks it, and writes the identity.

        The lock lasts until this process ends, or until the end of the block
        in `with folder.claim():`.

        Returns:
            The folder itself.

        Raises:
            RunFolderError: as the constructor, since another process may have
                changed the folder; or if the folder cannot be written to.
        """
        if hosts.is_first():
            self._claim()
        hosts.wait_for_all()
        return self

    def _claim(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._owner.take()
        except OwnedError as error:
            raise self._busy(error) from error
        except OSError as error:
            raise RunFolderError(
                f"{self.path}: expected a folder that can be written to. "
                f"Received: {error}"
            ) from error
        try:
            self._check()
            remove_scratch(self.path)
            if not (self._begun and (self.path / SETTINGS).exists()):
                self._write(SETTINGS, json_saver(self.identity))
        except BaseException:
            self._owner.release()
            raise

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._owner.release()
        if error is None:
            hosts.wait_for_all()

    def _check(self) -> None:
        # The first process may have begun to write.
        if not hosts.is_first() or not (self.path / SETTINGS).exists():
            return
        if not self.finished and not self._owner.owned:
            try:
                self._owner.check()
            except OwnedError as error:
                raise self._busy(error) from error
        if not self._begun:
            return
        stored = self.read_json(SETTINGS)
        if not fits(stored, dict[str, Any]):
            raise RunFolderError(
                f"{self.path / SETTINGS}: expected a JSON object. "
                f"Received: {shorten(stored)}"
            )
        before, now = flat(stored), flat(json.loads(json.dumps(self.identity)))
        changed = sorted(
            name
            for name in before.keys() | now.keys()
            if before.get(name) != now.get(name)
        )
        if changed:
            name = changed[0]
            raise RunFolderError(
                f"{self.path} holds a run with other values of "
                f"{', '.join(changed):.300}: `{name:.100}` was "
                f"{shorten(before.get(name))}. Give another output folder. "
                f"Received: {shorten(now.get(name))}"
            )
        if not self.resume:
            raise RunFolderError(
                f"{self.path} holds a run already. Add --resume to go on with "
                "it, or give another output folder."
            )

    def _busy(self, error: OwnedError) -> RunFolderError:
        return RunFolderError(
            f"{self.path} is being written to. Wait for the end of that run, "
            f"or give another output folder. Received: {error}"
        )

    @property
    def _begun(self) -> bool:
        """True if the folder has a file in addition to the settings."""
        return any(
            path.is_file() and path.name not in (SETTINGS, RUNNING)
            for path in self.path.iterdir()
        )

    @property
    def finished(self) -> bool:
        """True if the run is complete: its metrics are written last."""
        return (self.path / METRICS).exists()

    def tidy(self, names: Collection[str] | None = None) -> None:
        """Removes leftovers of a finished run whose process was killed.

        It does nothing while another process writes to the folder, or if the
        folder cannot be written to.

        Args:
            names: the names of the files to keep; None keeps all but lock and
                scratch files.
        """
        if not hosts.is_first():
            return
        if not any(
            path.name == RUNNING
            or path.name.startswith(SCRATCH)
            or (names is not None and path.name not in names)
            for path in self.path.iterdir()
        ):
            return
        with suppress(OwnedError, OSError):
            self._owner.take()
            with self:
                remove_scratch(self.path)
                if names is not None:
                    keep_only(self.path, {*names, RUNNING})

    def made_once(
        self,
        make: Callable[[], Mapping[str, Any]],
        keep: Collection[str] = (),
    ) -> Any:
        """Reads the metrics of a finished run, or makes and writes them.

        The files that an unfinished run needs to go on are removed at its end.

        Args:
            make: returns the metrics, JSON values.
            keep: the names of the files to keep, in addition to settings and
                metrics.

        Raises:
            RunFolderError: if the folder contains files that no run wrote; or
                as `claim`, `write` and `read_json`.
        """
        self._refuse_files_of_others()
        kept = {SETTINGS, METRICS, *keep}
        if self.finished:
            self.tidy(kept)
        else:
            with self.claim():
                self.write_json(METRICS, make())
                keep_only(self.path, {*kept, RUNNING})
        return self.read_json(METRICS)

    def _refuse_files_of_others(self) -> None:
        """A run writes its settings first: without them, no file is its."""
        if not hosts.is_first() or not self.path.is_dir():
            return
        names = sorted(path.name for path in self.path.iterdir())
        if SETTINGS in names:
            return
        others = [n for n in names if not n.startswith((RUNNING, SCRATCH))]
        if others:
            raise RunFolderError(
                f"{self.path}: expected an empty folder or that of a run, "
                "since all but a run's results is removed from it. Move the "
                f"files, or give another output folder. Received: {others[0]}"
            )

    def write(self, name: str, save: Callable[[Path], Any]) -> None:
        """Writes a file or folder of the run, completely or not at all.

        Args:
            name: the name in the run's folder.
            save: function that writes the file or folder to the given path.

        Raises:
            RunFolderError: if there is no space, or no permission to write; an
                earlier file or folder of this name is kept.
        """
        if hosts.is_first():
            self._write(name, save)
        else:
            # Keras computes while it saves, which all processes do together.
            with tempfile.TemporaryDirectory() as unused:
                save(Path(unused) / name)
        hosts.wait_for_all()

    def _write(self, name: str, save: Callable[[Path], Any]) -> None:
        try:
            write_whole(self.path / name, save)
        except Exception as error:
            if not _of_storage(error):
                raise
            raise RunFolderError(
                f"{self.path / name}: expected to be able to write it; what "
                "the run has saved before is kept, and the same command goes "
                f"on from there once there is room. Received: {error}"
            ) from error

    def write_json(self, name: str, content: Any) -> None:
        """Writes an indented JSON file; NaN and infinity raise a ValueError."""
        self.write(name, json_saver(content))

    def read_json(self, name: str) -> Any:
        """Reads a JSON file of the folder.

        Raises:
            RunFolderError: if the file is missing or no JSON.
        """
        return read_json(self.path / name)


def read_json(path: Path) -> Any:
    """Reads a JSON file of a run's folder.

    Raises:
        RunFolderError: if the file is missing or no JSON.
    """
    expected = "the JSON that a run has written"
    return checks.read_json(path, Any, RunFolderError, expected)


def _of_storage(error: Exception) -> bool:
    """Returns True if an error of Python, HDF5 or TensorFlow is of storage."""
    return (
        isinstance(error, OSError)
        or "errno = " in str(error)
        or type(error).__module__.startswith("tensorflow.")
    )


def keep_only(path: Path, names: Collection[str]) -> None:
    """Removes all files and folders of a run except for some.

    Args:
        path: the folder of a finished run.
        names: the names of the files and folders to keep.
    """
    if not hosts.is_first():
        return
    for item in path.iterdir():
        if item.name in names:
            continue
        if item.is_dir():
            shutil.rmtree(item)
        else:
            item.unlink()


def flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Nested values by their dotted names, `settings.epochs` for one."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            found |= {f"{key}.{k}": v for k, v in flat(value).items()}
        else:
            found[key] = value
    return found
