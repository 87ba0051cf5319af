"""A trained model as TensorFlow Lite (LiteRT), for phones and small devices.

It takes ids and returns scores; `reading.json` in the same folder says how to
make ids of a text. The number and the lengths of the texts are fixed when it is
written, so that every model of the library needs no other operations than those
of TensorFlow Lite.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import keras

from keras_qa.errors import ExportError
from keras_qa.export.converted_folder import check_folder
from keras_qa.export.converted_folder import write_folder
from keras_qa.text.reading import TextReading
from keras_qa.text.sides import SIDES

MODEL_FILE = "model.tflite"

LENGTHS = MappingProxyType({"question": 40, "answer": 100})
"""Tokens that texts are padded to by default."""


def export_lite(
    model: keras.Model,
    reading: TextReading | None,
    path: str | Path,
    *,
    lengths: Mapping[str, int] = LENGTHS,
    pairs: int = 1,
    overwrite: bool = False,
) -> None:
    """Writes a folder with `model.tflite`, `vocabulary.txt`, `reading.json`.

    The model takes what the Keras model takes, by the same names, and returns
    `score`. Shorter texts are padded at the end, which changes no score.
    `TextReading.save` says what the other files hold. An interpreter belongs
    to one thread; threads make one each of the same file.

    Args:
        model: a model of ids, or of word vectors.
        reading: how it read text in training; None for a model of word
            vectors. The lengths that it cuts texts to are those that they are
            padded to, unless the model takes others only.
        path: folder to write. It is whole or absent.
        lengths: number of tokens that texts are padded to, by side, where
            `reading` does not cut them. The texts of a model of one text are
            answers.
        pairs: the number of pairs that are scored at once.
        overwrite: whether a folder that this function wrote may be replaced.

    Raises:
        ExportError: if Keras runs on another backend than TensorFlow, the
            vocabulary is not that of the model, or `pairs` is less than 1.
        FileExistsError: if there is something at `path` and `overwrite` is
            false, or it is no such folder.

    Example:
        >>> export_lite(model, TextReading(vocabulary), "ranker", pairs=10)
    """
    check_folder(model, reading, path, overwrite)
    if pairs < 1:
        raise ExportError(
            f"`pairs` must be at least 1. Received: pairs={pairs}"
        )
    import tensorflow as tf
    from tensorflow.python.framework import convert_to_constants

    from keras_qa.export.tracing import for_converters
    from keras_qa.export.tracing import ids_function
    from keras_qa.export.tracing import inputs_of

    cut = {} if reading is None else reading.max_length
    shapes = {}
    for name, x in inputs_of(model).items():
        side = name if name in SIDES else "answer"
        fixed = [pairs, cut.get(side) or lengths[side], *x.shape[2:]]
        shapes[name] = [
            size or other for size, other in zip(x.shape, fixed, strict=False)
        ]
    function, signature = ids_function(model, shapes)
    with for_converters(model, without_arsinh=True):
        traced = function.get_concrete_function()
    # Loops cannot read variables; as constants they can.
    frozen = convert_to_constants.convert_variables_to_constants_v2(traced)
    converter = tf.lite.TFLiteConverter.from_concrete_functions([frozen])
    write_folder(
        path,
        MODEL_FILE,
        converter.convert(),
        reading
        and reading.cut_to(
            {side: shapes[side][1] for side in SIDES if side in shapes}
        ),
        {s.name: (s.shape.as_list(), s.dtype.name) for s in signature},
    )
