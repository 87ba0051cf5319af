"""Checks of the backend and of the output path, before an export starts."""

from collections.abc import Collection
from collections.abc import Mapping
from pathlib import Path

from keras_qa.errors import ExportError

MODEL = "model.keras"
"""The file of the Keras model in the folder of a run or of `Ranker.save`."""
ONNX = "model.onnx"
LITE = "model.tflite"
SAVED_MODEL = "saved_model.pb"
SAVED_MODEL_NAMES = (
    *(SAVED_MODEL, "fingerprint.pb", "variables", "assets"),
    "assets.extra",
)
"""What a SavedModel's folder contains."""


def check_tensorflow() -> None:
    """Checks that Keras runs on TensorFlow.

    Raises:
        ExportError: if Keras runs on another backend.
    """
    import keras

    if keras.backend.backend() != "tensorflow":
        raise ExportError(
            "Models are converted with the TensorFlow backend only. Write the "
            "ranker by `ranker.save`, and convert the folder by `keras-qa "
            "export FOLDER --format ...`, which starts that backend. "
            f"Received: keras.backend.backend()={keras.backend.backend()!r}"
        )


def check_target(
    path: Path,
    overwrite: bool,
    mark: str,
    own: Mapping[str, Collection[str]],
) -> None:
    """Checks that a folder is new, or an older export that may be replaced.

    Args:
        path: the folder to write.
        overwrite: True allows an older export to be replaced.
        mark: name of a file by which an older export is recognised.
        own: what an export of this form writes: the names in a folder, by its
            path in `path`, which itself is `"."`.

    Raises:
        FileExistsError: if `path` exists, unless `overwrite` is true and
            `path` contains `mark` and nothing that would be lost.
    """
    if path.exists() and not (overwrite and (path / mark).is_file()):
        raise FileExistsError(
            "`path` must not exist, unless `overwrite=True` and it is a "
            f"folder with {mark}. Received: path={path}"
        )
    check_nothing_else(path, own)


def check_nothing_else(path: Path, own: Mapping[str, Collection[str]]) -> None:
    """Checks that a folder has nothing that would be lost with it.

    Args:
        path: the folder, which need not exist.
        own: see `check_target`.

    Raises:
        FileExistsError: if it has.
    """
    for folder, names in own.items():
        inside = path / folder
        for other in sorted(inside.iterdir()) if inside.is_dir() else ():
            if other.name not in names:
                raise FileExistsError(
                    "A folder that is replaced must have nothing but an older "
                    f"export of this form in it. Received: {other}"
                )
