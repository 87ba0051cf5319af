"""Folders with a Keras model and with how it reads text."""

from pathlib import Path
from typing import TYPE_CHECKING
from typing import TypedDict

from keras_qa.errors import RankerError
from keras_qa.export.forms import METRICS
from keras_qa.export.forms import check_form
from keras_qa.export.onnx_model import BESIDE
from keras_qa.export.target import MODEL
from keras_qa.export.target import check_target
from keras_qa.files.checks import read_json
from keras_qa.files.whole import write_whole
from keras_qa.text.reading import READING
from keras_qa.text.reading import READING_NAMES
from keras_qa.text.reading import TextReading
from keras_qa.text.sides import SIDES

if TYPE_CHECKING:
    import keras


class _Settings(TypedDict):
    max_question_length: int | None
    max_answer_length: int | None


class _Metrics(TypedDict):
    """The keys that the metrics of a run must have."""

    settings: _Settings
    tokenizer: str


def save_folder(
    model: "keras.Model",
    reading: TextReading,
    path: Path,
    *,
    overwrite: bool = False,
) -> None:
    """Writes a model and its reading, atomically.

    Args:
        model: the model.
        reading: how it reads text.
        path: folder to write.
        overwrite: whether an older folder of this kind may be replaced.

    Raises:
        FileExistsError: if `path` exists and `overwrite` is false, or it has
            something else in it.
    """
    from keras_qa.export.keras_file import export_keras

    check_target(path, overwrite, MODEL, {".": (MODEL, *READING_NAMES, BESIDE)})

    def save(folder: Path) -> None:
        folder.mkdir()
        export_keras(model, folder / MODEL)
        reading.save(folder)

    write_whole(path, save)


def folder_reading(folder: Path, tokenizer: str | None = None) -> TextReading:
    """Returns how the Keras model of a folder reads text.

    Args:
        folder: a run's folder, or one that `save_folder` wrote.
        tokenizer: replaces the tokenizer that the folder names.

    Raises:
        DatasetError: if the vocabulary or word count file is malformed.
        RankerError: if the folder contains neither.
    """
    saved = (folder / READING).is_file()
    return (TextReading.load if saved else run_reading)(folder, tokenizer)


def run_reading(folder: Path, tokenizer: str | None = None) -> TextReading:
    """Returns how the model of a run reads text.

    Args:
        folder: the run's folder.
        tokenizer: replaces the tokenizer that the run names.

    Raises:
        DatasetError: if the vocabulary or word count file is malformed.
        RankerError: if the folder contains no finished run with its model.
    """
    check_form(folder)
    path = folder / METRICS
    expected = "the metrics of a run with its settings"
    metrics = read_json(path, _Metrics, RankerError, expected)
    settings = metrics["settings"]
    lengths = {f"max_{s}_length": settings[f"max_{s}_length"] for s in SIDES}
    return TextReading.of_files(
        folder, path, tokenizer=tokenizer or metrics["tokenizer"], **lengths
    )
