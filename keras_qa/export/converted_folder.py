"""The folder of a model of ids: the model, its words, and how to read text.

It tells programs without keras_qa how to make ids of a text.
"""

from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

import keras

from keras_qa.errors import ExportError
from keras_qa.export.target import check_backend
from keras_qa.export.target import check_target
from keras_qa.files.whole import write_whole
from keras_qa.text.reading import READING
from keras_qa.text.reading import TextReading
from keras_qa.text.reading import write_reading


def check_folder(
    model: keras.Model,
    reading: TextReading | None,
    path: str | Path,
    overwrite: bool,
) -> None:
    """Refuses, before the work, what `write_folder` could not write.

    Args:
        model: the model.
        reading: how it reads text; None for a model of vectors.
        path: the folder.
        overwrite: whether a folder of this kind may be replaced.

    Raises:
        ExportError: if Keras runs on another backend than TensorFlow, or the
            vocabulary is not that of the model.
        FileExistsError: if there is something at `path` and `overwrite` is
            false, or it is not such a folder.
    """
    check_backend()
    check_target(Path(path), overwrite, READING)
    words = None if reading is None else len(reading.vocabulary)
    size = getattr(model, "vocabulary_size", words)
    if size != words:
        expected = "None" if size is None else f"the {size} words of the model"
        received = "None" if words is None else f"{words} words"
        raise ExportError(
            f"`vocabulary` must be {expected}. Received: {received}"
        )


def write_folder(
    path: str | Path,
    model_file: str,
    data: bytes,
    reading: TextReading | None,
    inputs: Mapping[str, tuple[Sequence[int | None], str]],
) -> None:
    """Writes the model and the files of `TextReading.save`.

    Of a model of vectors, `reading.json` is the only other file. Its `inputs`
    has the dtype of each input and its shape, with null for sizes that vary.

    Args:
        path: the folder, which is whole or absent; one that is there is
            replaced.
        model_file: name of the model in it.
        data: the model.
        reading: how the model reads text, or None.
        inputs: shape and dtype of each input of the model.
    """
    described = {
        "model": model_file,
        "inputs": {
            name: {"dtype": dtype, "shape": list(shape)}
            for name, (shape, dtype) in inputs.items()
        },
    }

    def save(folder: Path) -> None:
        folder.mkdir()
        (folder / model_file).write_bytes(data)
        if reading is None:
            write_reading(folder, **described)
        else:
            reading.save(folder, **described)

    write_whole(path, save)
