"""Stages before a training: what they make is kept while its inputs stay."""

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keras_qa.files.locks import RUNNING
from keras_qa.training.run_folder import METRICS
from keras_qa.training.run_folder import SETTINGS
from keras_qa.training.run_folder import RunFolder
from keras_qa.training.run_folder import keep_only
from keras_qa.training.run_folder import read_json
from reproductions.harness.errors import StageError
from reproductions.harness.vectors import fingerprint
from reproductions.records.seed_groups import canonical


def run_stage(
    root: Path,
    name: str,
    inputs: Mapping[str, Any],
    make: Callable[[RunFolder], Mapping[str, Any]] | None,
    keep: Collection[str],
) -> RunFolder:
    """Reuses a finished stage of the same inputs, or makes it.

    A stage has the folder `NAME-FINGERPRINT`, after all that its result depends
    on, so that runs which share a root share their stages, too. What is done is
    printed. A stage that was interrupted is continued, if `make` knows how.

    Args:
        root: the folder of all stages.
        name: the stage's name.
        inputs: what it depends on, JSON values; of earlier stages the names of
            their folders.
        make: makes the stage in its folder, and returns what is recorded of
            it, JSON values that become its `metrics.json`; None if the stage
            must be there.
        keep: the names of the files that stay when the stage is made, in
            addition to settings and metrics.

    Returns:
        The stage's folder.

    Raises:
        StageError: if it is not there and `make` is None.
        RunFolderError: if another process makes it at this moment.
    """
    folder = stage_folder(root, name, inputs)
    kept = {SETTINGS, METRICS, *keep}
    if folder.finished:
        folder.tidy(kept)
        print(f"{name}: reused, {folder.path}")
        return folder
    why = _difference(root, name, inputs)
    if make is None:
        raise StageError(
            f"{folder.path}: expected the finished stage {name}; make it with "
            f"`--stage all` or its own. Received: {why}"
        )
    print(f"{name}: to be made, {why}")
    with folder.claim():
        folder.write_json(METRICS, make(folder))
        # Now that there is nothing to go on with.
        keep_only(folder.path, {*kept, RUNNING})
    return folder


def stage_folder(root: Path, name: str, inputs: Mapping[str, Any]) -> RunFolder:
    """The folder of a stage, which need not exist."""
    digest = fingerprint(canonical(inputs).encode())
    return RunFolder(root / f"{name}-{digest}", inputs, resume=True)


def _difference(root: Path, name: str, inputs: Mapping[str, Any]) -> str:
    """How the inputs differ from those of the most similar stage."""
    differences = []
    for metrics in sorted(root.glob(f"{name}-*/{METRICS}")):
        before = read_json(metrics.with_name(SETTINGS))
        differences.append(
            [
                f"`{key}` was {before.get(key)!r} and is {inputs.get(key)!r}"
                for key in sorted(before.keys() | inputs.keys())
                if before.get(key) != inputs.get(key)
            ]
        )
    if not differences:
        return "there is none yet"
    fewest = min(differences, key=len)
    return f"other inputs: {', '.join(fewest)}"
