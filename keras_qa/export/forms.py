"""The forms in which a folder contains a ranker, and the writing of each."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from keras_qa.errors import RankerError
from keras_qa.export.target import LITE
from keras_qa.export.target import MODEL
from keras_qa.export.target import ONNX
from keras_qa.export.target import SAVED_MODEL
from keras_qa.text.reading import READING
from keras_qa.text.reading import VOCABULARY
from keras_qa.text.reading import TextReading

if TYPE_CHECKING:
    import keras

FORMATS = ("keras", "saved_model", "onnx", "tflite", "tf_serving", "triton")
"""What `keras_qa.Ranker.export` writes."""

METRICS = "metrics.json"
PACKAGES = ("onnx", "onnxruntime", "tf2onnx", "tokenizers")


def check_packages() -> None:
    """Checks that what writes and reads ONNX is installed.

    Raises:
        ImportError: naming what is not.
    """
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"The ONNX form of a ranker needs {', '.join(missing)}: "
            "pip install 'keras-qa[onnx]'"
        )


def check_form(folder: Path) -> None:
    """Checks, by the names of files, that `keras_qa.Ranker` takes a folder.

    It imports nothing, so that a wrong path is reported at once.

    Raises:
        RankerError: if the folder has none of the forms.
    """
    if any((folder / name).is_file() for name in (SAVED_MODEL, ONNX)):
        return
    settings = READING if (folder / READING).is_file() else METRICS
    missing = [
        name
        for name in (MODEL, VOCABULARY, settings)
        if not (folder / name).is_file()
    ]
    if (folder / LITE).is_file():
        received = "a TensorFlow Lite folder, which takes ids"
    elif folder.is_dir():
        received = f"no {', '.join(missing)} in it"
        if (folder / "answers.json").is_file():
            received = (
                "an index, which `keras-qa ask` searches; its model is "
                f"{folder / 'model'}"
            )
        elif (folder / "settings.json").is_file() and METRICS in missing:
            received += (
                "; it is of a training that has not finished: give its "
                "command, such as `keras-qa train`, again"
            )
    elif folder.exists():
        received = "a file; give the folder that holds it"
    else:
        received = "no such folder"
    if missing:
        raise RankerError(
            f"{folder}: expected a run's folder ({MODEL}, {VOCABULARY}, "
            f"{METRICS}), a folder of `Ranker.save`, a SavedModel or an ONNX "
            f"folder. Received: {received}"
        )


def check_contained(path: Path, form: str, **argument: str | None) -> None:
    """Checks that an argument does not replace what a graph contains.

    Args:
        path: the folder.
        form: its form, such as "a SavedModel".
        **argument: one argument, None if it was not given.

    Raises:
        RankerError: if it was given.
    """
    ((name, value),) = argument.items()
    if value is not None:
        raise RankerError(
            f"`{name}` goes with a run's folder; {form} holds its "
            f"own. Received: {path} with {name}={value!r}"
        )


def export_form(
    model: "keras.Model",
    reading: TextReading,
    path: Path,
    format: str,
    pairs: int,
    name: str,
    overwrite: bool,
) -> None:
    """Writes a ranker in one of `FORMATS`; see `keras_qa.Ranker.export`.

    Args:
        model: the model.
        reading: how it reads text.
        path: the file or folder to write.
        format: one of `FORMATS`.
        pairs: the number of pairs that TensorFlow Lite scores at once.
        name: the model's name in requests to a model server.
        overwrite: whether an existing export may be replaced.

    Raises:
        ExportError: if the model cannot be written in that form, or `pairs`
            or `name` is out of range.
        FileExistsError: if `path` exists and `overwrite` is false, or it is no
            export of this form.
        ImportError: if the package that the form needs is not installed.
    """
    from keras_qa.export.keras_file import export_keras
    from keras_qa.export.onnx import export_onnx
    from keras_qa.export.saved_model import export_saved_model
    from keras_qa.export.servers.tf_serving import export_tf_serving
    from keras_qa.export.servers.triton import export_triton
    from keras_qa.export.tflite import export_lite

    if format == "keras":
        if path.exists() and not overwrite:
            raise FileExistsError(
                "`path` must not exist, unless `overwrite=True`. "
                f"Received: path={path}"
            )
        export_keras(model, path)
    elif format == "saved_model":
        export_saved_model(model, reading, path, overwrite=overwrite)
    elif format == "onnx":
        export_onnx(model, reading, path, overwrite=overwrite)
    elif format == "tf_serving":
        export_tf_serving(model, reading, path, name=name, overwrite=overwrite)
    elif format == "triton":
        export_triton(model, reading, path, name=name, overwrite=overwrite)
    else:
        export_lite(model, reading, path, pairs=pairs, overwrite=overwrite)
