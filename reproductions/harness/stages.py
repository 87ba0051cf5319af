"""Stages before a training; runs with the same inputs share their results."""

import time
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from keras_qa.errors import OwnedError
from keras_qa.errors import RunFolderError
from keras_qa.training.run_folder import METRICS
from keras_qa.training.run_folder import SETTINGS
from keras_qa.training.run_folder import RunFolder
from keras_qa.training.run_folder import flat
from keras_qa.training.run_folder import read_json
from reproductions.harness.errors import StageError
from reproductions.harness.vectors import fingerprint
from reproductions.records.seed_groups import canonical

# Seconds between looks at a stage that another process makes.
PAUSE = 1.0


def run_stage(
    root: Path,
    name: str,
    inputs: Mapping[str, Any],
    make: Callable[[RunFolder], Mapping[str, Any]] | None,
    keep: Collection[str],
) -> RunFolder:
    """Reuses a finished stage with the same inputs, or makes the stage.

    The stage's folder is `NAME-FINGERPRINT`, with a fingerprint of `inputs`, so
    runs with the same root share their stages. The function prints what it
    does. An interrupted stage is continued if `make` supports it; one that
    another process is making is waited for.

    Args:
        root: the folder of all stages.
        name: the stage's name.
        inputs: JSON values that the stage's result depends on; an earlier
            stage is given by the name of its folder.
        make: makes the stage in its folder, and returns the JSON values of its
            `metrics.json`; None if the stage must exist.
        keep: the names of the files to keep of a finished stage, in addition
            to settings and metrics.

    Returns:
        The stage's folder.

    Raises:
        StageError: if the stage does not exist and `make` is None.
        RunFolderError: if its folder contains something else.
    """
    owner = ""
    while True:
        try:
            return _reused_or_made(root, name, inputs, make, keep)
        except RunFolderError as error:
            if not isinstance(error.__cause__, OwnedError):
                raise
            if owner != str(error.__cause__):
                owner = str(error.__cause__)
                print(f"{name}: waits for {owner}", flush=True)
        time.sleep(PAUSE)


def _reused_or_made(
    root: Path,
    name: str,
    inputs: Mapping[str, Any],
    make: Callable[[RunFolder], Mapping[str, Any]] | None,
    keep: Collection[str],
) -> RunFolder:
    folder = stage_folder(root, name, inputs)
    if folder.finished:
        print(f"{name}: reused, {folder.path}")
        folder.made_once(dict, keep)
        return folder
    why = _difference(root, name, inputs)
    if make is None:
        raise StageError(
            f"{folder.path}: expected the finished stage {name}; make it with "
            f"`--stage all` or its own. Received: {why}"
        )
    print(f"{name}: to be made, {why}")
    folder.made_once(partial(make, folder), keep)
    return folder


def stage_folder(root: Path, name: str, inputs: Mapping[str, Any]) -> RunFolder:
    """The folder of a stage, which need not exist."""
    digest = fingerprint(canonical(inputs).encode())
    return RunFolder(root / f"{name}-{digest}", inputs, resume=True)


def _difference(root: Path, name: str, inputs: Mapping[str, Any]) -> str:
    """How the inputs differ from those of the most similar stage."""
    differences = []
    for metrics in sorted(root.glob(f"{name}-*/{METRICS}")):
        before = flat(read_json(metrics.with_name(SETTINGS)))
        now = flat(inputs)
        differences.append(
            [
                f"`{key}` was {before.get(key)!r} and is {now.get(key)!r}"
                for key in sorted(before.keys() | now.keys())
                if before.get(key) != now.get(key)
            ]
        )
    if not differences:
        return "there is none yet"
    fewest = min(differences, key=len)
    return f"other inputs: {', '.join(fewest)}"
