"""A trained model as TensorFlow Lite (LiteRT), for phones and small devices.

It takes ids and returns scores; a file beside it says what makes ids of a
text. Number and lengths of the texts are fixed when it is written: so every
model of the kit needs TensorFlow Lite's own operations only.
"""

from collections.abc import Sequence
from pathlib import Path

import keras

from keras_qa.export.converted_folder import check_folder
from keras_qa.export.converted_folder import write_folder

MODEL_FILE = "model.tflite"


def export_lite(
    model: keras.Model,
    vocabulary: Sequence[str] | None,
    path: str | Path,
    tokenizer: str = "word",
    max_question_length: int = 40,
    max_answer_length: int = 100,
    *,
    pairs: int = 1,
    overwrite: bool = False,
) -> None:
    """Writes a folder with `model.tflite`, `vocabulary.txt`, `reading.json`.

    The model takes what the Keras model takes, by the same names, and returns
    `score`. Shorter texts are padded at the end, which changes no score.
    `write_folder` says what the other files hold. An interpreter belongs to
    one thread; threads make one each of the same file.

    Args:
        model: a model of ids, or of word vectors.
        vocabulary: the words by their ids, as `Vocabulary.words`; None for a
            model of word vectors.
        path: folder to write. It is whole or absent.
        tokenizer: the one used in training, see `tokenizer.TOKENIZERS`.
        max_question_length: the length that questions are cut and padded to,
            unless the model takes another one only.
        max_answer_length: the same for answers, and for the texts of a model
            of one text.
        pairs: the number of pairs that are scored at once.
        overwrite: whether a folder that this function wrote may be replaced.

    Raises:
        FileExistsError: if there is something at `path` and `overwrite` is
            false, or it is no such folder.
        ValueError: if Keras runs on another backend than TensorFlow, the
            vocabulary is not that of the model, or an argument is out of
            range.

    Example:
        >>> export_lite(model, vocabulary.words, "ranker", pairs=10)
    """
    lengths: dict[str, int | None] = {
        "question": max_question_length,
        "answer": max_answer_length,
    }
    check_folder(model, vocabulary, path, tokenizer, lengths, overwrite)
    if pairs < 1:
        raise ValueError(f"`pairs` must be at least 1. Received: pairs={pairs}")
    import tensorflow as tf
    from tensorflow.python.framework import convert_to_constants

    from keras_qa.export.tracing import for_converters
    from keras_qa.export.tracing import ids_function
    from keras_qa.export.tracing import inputs_of

    shapes = {}
    for name, x in inputs_of(model).items():
        fixed = [pairs, lengths.get(name, max_answer_length), *x.shape[2:]]
        shapes[name] = [
            size or other for size, other in zip(x.shape, fixed, strict=False)
        ]
        if name in lengths:
            lengths[name] = shapes[name][1]
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
        vocabulary,
        tokenizer,
        lengths,
        {s.name: (s.shape.as_list(), s.dtype.name) for s in signature},
    )
