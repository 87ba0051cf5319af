"""Checks of the backend and of the output path, before an export starts."""

from collections.abc import Iterable
from pathlib import Path

from keras_qa.errors import ExportError

MODEL = "model.keras"
"""The file of the Keras model in the folder of a run or of `Ranker.save`."""
ONNX = "model.onnx"
LITE = "model.tflite"
SAVED_MODEL = "saved_model.pb"


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
    path: Path, overwrite: bool, mark: str, others: Iterable[Path] = ()
) -> None:
    """Checks that a folder is new, or an older export that may be replaced.

    Args:
        path: the folder to write.
        overwrite: True allows an older export to be replaced.
        mark: name of a file by which an older export is recognised.
        others: what no export of this form has written, and would be lost.

    Raises:
        FileExistsError: if `path` exists, unless `overwrite` is true and
            `path` contains `mark` and none of the others.
    """
    if path.exists() and not (overwrite and (path / mark).is_file()):
        raise FileExistsError(
            "`path` must not exist, unless `overwrite=True` and it is a "
            f"folder with {mark}. Received: path={path}"
        )
    for other in others:
        if other.exists():
            raise FileExistsError(
                "A folder that is replaced must have nothing but an older "
                f"export of this form in it. Received: {other}"
            )
