"""Export to ONNX, for onnxruntime in any language.

The ONNX model takes ids and returns scores; `reading.json` in the same folder
says how to convert text to ids. tf2onnx keeps loops over words as loops, so
that the model takes any number of pairs of any length.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import keras

from keras_qa.export.converted_folder import check_folder
from keras_qa.export.converted_folder import write_folder
from keras_qa.export.onnx_model import ENCODER_FILE
from keras_qa.export.onnx_model import SOURCE
from keras_qa.export.target import ONNX
from keras_qa.export.target import check_tensorflow
from keras_qa.export.tokenizer_file import TOKENIZERS
from keras_qa.export.tokenizer_file import make_tokenizer
from keras_qa.export.tokenizer_file import save_tokenizers
from keras_qa.export.views import AXES
from keras_qa.export.views import add_views
from keras_qa.telemetry import switch_off_telemetry
from keras_qa.text.reading import TextReading
from keras_qa.text.sides import SIDES

OPSET = 18
"""The version of ONNX's operations; onnxruntime has them from 1.14 on."""


def export_onnx(
    model: keras.Model,
    reading: TextReading | None,
    path: str | Path,
    *,
    overwrite: bool = False,
    source: str | None = None,
    views: bool = False,
) -> None:
    """Writes a folder with `model.onnx`, tokenizers and `reading.json`.

    The ONNX model has the inputs of the Keras model, by the same names, and
    the output `score`. Axes of variable size are named `pairs`,
    `question_length` and `answer_length`, or `length` for other inputs.
    `question_tokenizer.json` and `answer_tokenizer.json` give its ids; see
    `save_tokenizers`. `TextReading.save` documents the other files. Answers
    that are not `reading.readable` have the score `UNREAD_SCORE`.

    Args:
        model: a model of word ids or of word vectors.
        reading: how it read text in training; None for a model of word
            vectors, whose folder has no `vocabulary.txt`.
        path: folder to write, atomically.
        overwrite: True allows an older converted model to be replaced.
        source: SHA-256 of the `.keras` file that contains the same model, for
            `find_beside`.
        views: True adds the outputs of `keras_qa.export.views.add_views`, such
            as attention weights, which the entry `views` of `reading.json`
            names. The scores stay the same.

    Raises:
        ExportError: if Keras runs on another backend than TensorFlow, the
            vocabulary does not have the model's size, or the model cannot be
            converted, such as one of another dtype than float32.
        FileExistsError: if `path` exists, unless `overwrite` is true and
            `path` has an older ONNX model and nothing else.
        ImportError: if tf2onnx or tokenizers is not installed.
        RankerError: if a model of pairs does not fit the reading.

    Example:
        >>> export_onnx(model, TextReading(vocabulary), "ranker")
        >>> session = onnxruntime.InferenceSession("ranker/model.onnx")
        >>> session.run(["score"], {"question": [[5, 7]], "answer": [[9, 0]]})
    """
    reading = check_folder(
        model, reading, path, overwrite, ONNX, TOKENIZERS.values()
    )
    tokenizer = None if reading is None else make_tokenizer(reading)
    shown: list[dict[str, Any]] = []
    if views:
        model, shown = add_views(model)
    converted, signature = _convert(model, reading)

    def save_more(folder: Path) -> None:
        if reading is not None:
            widths = {s.name: s.shape[1] for s in signature if s.name in SIDES}
            save_tokenizers(folder, tokenizer, reading.max_length, widths)

    write_folder(
        path,
        ONNX,
        converted,
        reading,
        {s.name: (s.shape.as_list(), s.dtype.name) for s in signature},
        save_more=save_more,
        entries={
            **({} if source is None else {SOURCE: source}),
            **({"views": shown} if views else {}),
        },
    )


def export_question_encoder(
    encoder: keras.Model, path: Path, *, source: str
) -> None:
    """Writes a folder with `question_encoder.onnx` and `reading.json`.

    Args:
        encoder: a model of word ids that returns a vector for each question.
        path: folder to write, atomically; an older one is replaced.
        source: SHA-256 of the `.keras` file that contains the encoder.

    Raises:
        ExportError: if Keras runs on another backend than TensorFlow.
        ImportError: if tf2onnx is not installed.
    """
    check_tensorflow()
    converted, signature = _convert(encoder)
    write_folder(
        path,
        ENCODER_FILE,
        converted,
        None,
        {s.name: (s.shape.as_list(), s.dtype.name) for s in signature},
        entries={SOURCE: source},
    )


def _convert(
    model: keras.Model, reading: TextReading | None = None
) -> tuple[bytes, list[Any]]:
    """The ONNX file of a model, and the specifications of its inputs."""
    try:
        import tf2onnx
    except ImportError as error:
        raise ImportError(
            "Writing ONNX needs tf2onnx: pip install 'keras-qa[onnx]'"
        ) from error
    from keras_qa.export.tracing import errors_of_converter
    from keras_qa.export.tracing import for_converters
    from keras_qa.export.tracing import ids_function

    with errors_of_converter(model, "ONNX"):
        function, signature = ids_function(model, reading)
        with for_converters(model):
            converted, _ = tf2onnx.convert.from_function(
                function,
                signature,
                opset=OPSET,
                custom_op_handlers={"SelectV2": (_where, [])},
            )
        _name_sizes(converted.graph)
        data = converted.SerializeToString()
        _check_runs(data)
    return data, signature


def _check_runs(data: bytes) -> None:
    """Loads a model by onnxruntime, which lacks operations of some dtypes."""
    if find_spec("onnxruntime") is None:
        return
    switch_off_telemetry()
    import onnxruntime

    onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])


def _where(graph: Any, node: Any, name: str, _: list[Any]) -> None:
    """Converts `tf.where`.

    tf2onnx's own conversion, a sum of products, is NaN where the value that is
    not chosen is infinite, as in a maximum over no words.
    """
    from onnx import TensorProto

    inputs, outputs = list(node.input), list(node.output)
    dtype, shape = graph.get_dtype(outputs[0]), graph.get_shape(outputs[0])
    graph.remove_node(node.name)
    if dtype != TensorProto.BOOL:
        made = {"outputs": outputs, "dtypes": [dtype], "shapes": [shape]}
        graph.make_node("Where", inputs, name=name, **made)
        return
    # onnxruntime has no `Where` of booleans.
    numbers = [
        graph.make_node("Cast", [x], attr={"to": TensorProto.INT32}).output[0]
        for x in inputs[1:]
    ]
    chosen = graph.make_node("Where", [inputs[0], *numbers])
    graph.make_node(
        "Cast",
        [chosen.output[0]],
        attr={"to": TensorProto.BOOL},
        name=name,
        outputs=outputs,
        dtypes=[dtype],
        shapes=[shape],
    )


def _name_sizes(graph: Any) -> None:
    """Names the axes of variable size, which tf2onnx only numbers."""
    for value in [*graph.input, *graph.output]:
        side = value.name if value.name in SIDES else ""
        names = AXES.get(value.name, ("pairs", f"{side}_length".lstrip("_")))
        sizes = value.type.tensor_type.shape.dim
        for size, name in zip(sizes, names, strict=False):
            if not size.HasField("dim_value"):
                size.dim_param = name
