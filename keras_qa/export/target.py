"""What all exports refuse before the work."""

from pathlib import Path

from keras_qa.errors import ExportError


def check_backend() -> None:
    """Refuses other backends of Keras than TensorFlow.

    Raises:
        ExportError: if Keras runs on another one.
    """
    import keras

    if keras.backend.backend() != "tensorflow":
        raise ExportError(
            "Models are converted with the TensorFlow backend only. Write the "
            "model with `export_keras`, set KERAS_BACKEND=tensorflow, load "
            "the file in a new process and export it there. "
            f"Received: keras.backend.backend()={keras.backend.backend()!r}"
        )


def check_target(path: Path, overwrite: bool, mark: str) -> None:
    """Refuses to replace what is there, but for an older export.

    Args:
        path: the folder to write.
        overwrite: whether an older export may be replaced.
        mark: a file that folders of this kind contain.

    Raises:
        FileExistsError: if there is something at `path` and `overwrite` is
            false, or it is a folder of another kind.
    """
    if path.exists() and not (overwrite and (path / mark).is_file()):
        raise FileExistsError(
            "`path` must not exist, unless `overwrite=True` and it is a "
            f"folder with {mark}. Received: path={path}"
        )
