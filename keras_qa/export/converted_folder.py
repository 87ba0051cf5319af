"""Folder of a converted model: the model, its vocabulary and `reading.json`.

From the last two, programs without keras_qa can convert text to word ids.
"""

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras

from keras_qa.errors import ExportError
from keras_qa.export.target import check_target
from keras_qa.export.target import check_tensorflow
from keras_qa.files.whole import write_whole
from keras_qa.text.reading import READING_NAMES
from keras_qa.text.reading import TextReading
from keras_qa.text.reading import write_reading
from keras_qa.text.sides import SIDES


def check_folder(
    model: keras.Model,
    reading: TextReading | None,
    path: str | Path,
    overwrite: bool,
    model_file: str,
    more_names: Collection[str] = (),
) -> TextReading | None:
    """Checks, before the conversion, that `write_folder` can write a model.

    Args:
        model: the model.
        reading: how it reads text; None for a model of word vectors.
        path: folder to write.
        overwrite: True allows an older folder of this kind to be replaced.
        model_file: name of the model's file in the folder.
        more_names: names of further files that such a folder may have, in
            addition to those of the reading.

    Returns:
        The reading, of a model of pairs cut to the lengths of its inputs.

    Raises:
        ExportError: if Keras runs on another backend than TensorFlow, or the
            vocabulary does not have the model's size.
        FileExistsError: if `path` exists, unless `overwrite` is true and
            `path` has an older model of this form and nothing else.
        RankerError: if a model of pairs does not fit the reading.
    """
    check_tensorflow()
    own = {".": (model_file, *READING_NAMES, *more_names)}
    check_target(Path(path), overwrite, model_file, own)
    words = None if reading is None else len(reading.vocabulary)
    size = getattr(model, "vocabulary_size", words)
    if size != words:
        expected = "None" if size is None else f"the {size} words of the model"
        received = "None" if words is None else f"{words} words"
        raise ExportError(
            f"`vocabulary` must be {expected}. Received: {received}"
        )
    names = {x.name for x in getattr(model, "inputs", None) or ()}
    if reading is not None and names.issuperset(SIDES):
        return reading.for_model(model)
    return reading


def write_folder(
    path: str | Path,
    model_file: str,
    data: bytes,
    reading: TextReading | None,
    inputs: Mapping[str, tuple[Sequence[int | None], str]],
    *,
    save_more: Callable[[Path], None] | None = None,
    entries: Mapping[str, Any] | None = None,
) -> None:
    """Atomically writes the model and the files of `TextReading.save`.

    For a model of word vectors, `reading.json` is the only other file. Its
    `inputs` gives the dtype and the shape of each input, with null for sizes
    that vary.

    Args:
        path: folder to write; an existing one is replaced.
        model_file: name of the model's file in the folder.
        data: content of the model's file.
        reading: how the model reads text; None for a model of word vectors.
        inputs: shape and dtype of each input of the model.
        save_more: writes further files into the folder that it is given.
        entries: further entries of `reading.json`, JSON values.
    """
    described = {
        "model": model_file,
        "inputs": {
            name: {"dtype": dtype, "shape": list(shape)}
            for name, (shape, dtype) in inputs.items()
        },
        **(entries or {}),
    }

    def save(folder: Path) -> None:
        folder.mkdir()
        (folder / model_file).write_bytes(data)
        if reading is None:
            write_reading(folder, **described)
        else:
            reading.save(folder, **described)
        if save_more is not None:
            save_more(folder)

    write_whole(path, save)
