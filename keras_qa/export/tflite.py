"""Export to TensorFlow Lite (LiteRT), for phones and small devices.

The TensorFlow Lite model takes ids and returns scores; `reading.json` in the
same folder says how to convert text to ids. The number and the lengths of the
texts are fixed at export, so that every model of the library needs only
TensorFlow Lite's built-in operations.
"""

from collections.abc import Mapping
from numbers import Integral
from pathlib import Path
from types import MappingProxyType

import keras

from keras_qa.errors import ExportError
from keras_qa.export.converted_folder import check_folder
from keras_qa.export.converted_folder import write_folder
from keras_qa.export.target import LITE
from keras_qa.text.reading import TextReading
from keras_qa.text.sides import SIDES

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

    The written model has the inputs of the Keras model, by the same names, and
    the output `score`. Shorter texts are padded at the end, which changes no
    score. `TextReading.save` documents the other two files. Answers that are
    not `reading.readable` have the score `UNREAD_SCORE`. An interpreter is not
    thread-safe; each thread needs its own.

    Args:
        model: a model of word ids or of word vectors.
        reading: how it read text in training; None for a model of word
            vectors, whose folder has no `vocabulary.txt`. Texts are padded to
            the lengths that `reading` cuts them to, unless the model has fixed
            lengths.
        path: folder to write, atomically.
        lengths: number of tokens that texts are padded to, by side, where
            `reading` does not cut them. A model of one text uses the answers'.
        pairs: number of pairs that are scored at once.
        overwrite: True allows an older converted model to be replaced.

    Raises:
        ExportError: if Keras runs on another backend than TensorFlow, the
            vocabulary does not have the model's size, the model cannot be
            converted, such as one of another dtype than float32, or `pairs`
            or `lengths` are not of the kind above.
        FileExistsError: if `path` exists, unless `overwrite` is true and
            `path` has an older model of TensorFlow Lite and nothing else.
        RankerError: if a model of pairs does not fit the reading.

    Example:
        >>> export_lite(model, TextReading(vocabulary), "ranker", pairs=10)
    """
    reading = check_folder(model, reading, path, overwrite, LITE)
    lengths = {**LENGTHS, **lengths}
    if min(lengths.values()) < 1 or set(lengths) != set(LENGTHS):
        raise ExportError(
            f"`lengths` must be of {' and '.join(LENGTHS)}, at least 1. "
            f"Received: lengths={lengths}"
        )
    if not isinstance(pairs, Integral) or pairs < 1:
        raise ExportError(
            f"`pairs` must be an integer, at least 1. Received: pairs={pairs!r}"
        )
    import tensorflow as tf
    from tensorflow.python.framework import convert_to_constants

    from keras_qa.export.tracing import errors_of_converter
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
    with errors_of_converter(model, "TensorFlow Lite"):
        function, signature = ids_function(model, reading, shapes)
        with for_converters(model, without_arsinh=True):
            traced = function.get_concrete_function()
        # TensorFlow Lite's loops can read constants, but no variables.
        frozen = convert_to_constants.convert_variables_to_constants_v2(traced)
        converter = tf.lite.TFLiteConverter.from_concrete_functions([frozen])
        converted = converter.convert()
    write_folder(
        path,
        LITE,
        converted,
        reading
        and reading.cut_to(
            {side: shapes[side][1] for side in SIDES if side in shapes}
        ),
        {s.name: (s.shape.as_list(), s.dtype.name) for s in signature},
    )
