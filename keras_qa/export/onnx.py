"""Export to ONNX, for onnxruntime in any language.

The ONNX model takes ids and returns scores; `reading.json` in the same folder
says how to convert text to ids. tf2onnx keeps loops over words as loops, so
that the model takes any number of pairs of any length.
"""

from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np

from keras_qa.errors import RankerError
from keras_qa.export.converted_folder import check_folder
from keras_qa.export.converted_folder import write_folder
from keras_qa.files.text_files import shorten
from keras_qa.text.reading import TextReading

MODEL_FILE = "model.onnx"

OPSET = 18
"""The version of ONNX's operations; onnxruntime has them from 1.14 on."""


def export_onnx(
    model: keras.Model,
    reading: TextReading | None,
    path: str | Path,
    *,
    overwrite: bool = False,
) -> None:
    """Writes a folder with `model.onnx`, `vocabulary.txt` and `reading.json`.

    The ONNX model has the inputs of the Keras model, by the same names, and
    the output `score`. Axes of variable size are named `pairs`,
    `question_length` and `answer_length`, or `length` for other inputs.
    `TextReading.save` documents the other two files. Answers that are not
    `reading.readable` have the score `UNREAD_SCORE`.

    Args:
        model: a model of word ids or of word vectors.
        reading: how it read text in training; None for a model of word
            vectors, whose folder has no `vocabulary.txt`.
        path: folder to write, atomically.
        overwrite: True allows an older converted model to be replaced.

    Raises:
        ExportError: if Keras runs on another backend than TensorFlow, or the
            vocabulary does not have the model's size.
        FileExistsError: if `path` exists, unless `overwrite` is true and
            `path` is a folder with `reading.json`.
        ImportError: if tf2onnx is not installed.

    Example:
        >>> export_onnx(model, TextReading(vocabulary), "ranker")
        >>> session = onnxruntime.InferenceSession("ranker/model.onnx")
        >>> session.run(["score"], {"question": [[5, 7]], "answer": [[9, 0]]})
    """
    check_folder(model, reading, path, overwrite)
    try:
        import tf2onnx
    except ImportError as error:
        raise ImportError(
            "Writing ONNX needs tf2onnx: pip install 'keras-qa[onnx]'"
        ) from error
    from keras_qa.export.tracing import for_converters
    from keras_qa.export.tracing import ids_function

    function, signature = ids_function(model, reading)
    with for_converters(model):
        converted, _ = tf2onnx.convert.from_function(
            function,
            signature,
            opset=OPSET,
            custom_op_handlers={"SelectV2": (_where, [])},
        )
    _name_sizes(converted.graph)
    write_folder(
        path,
        MODEL_FILE,
        converted.SerializeToString(),
        reading,
        {s.name: (s.shape.as_list(), s.dtype.name) for s in signature},
    )


class OnnxModel:
    """An exported ONNX model, with the part of Keras's interface that ranks.

    Args:
        path: folder that `export_onnx` wrote.

    Attributes:
        input: the inputs by name, each with its `shape`.

    Raises:
        ImportError: if onnxruntime is not installed.
        RankerError: if onnxruntime cannot load the folder's model.
    """

    def __init__(self, path: Path):
        try:
            import onnxruntime
        except ImportError as error:
            raise ImportError(
                "Loading ONNX needs onnxruntime: pip install 'keras-qa[onnx]'"
            ) from error
        try:
            self._session = onnxruntime.InferenceSession(path / MODEL_FILE)
        # onnxruntime raises many types of errors for bad files.
        except Exception as error:
            raise RankerError(
                f"{path / MODEL_FILE}: expected an ONNX model. "
                f"Received: {shorten(str(error))}"
            ) from error
        self.input = {
            x.name: _Input(x.shape) for x in self._session.get_inputs()
        }

    def predict_on_batch(self, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """The scores of pairs, float32 `(n, 1)`."""
        return self._session.run(["score"], dict(inputs))[0]


class _Input:
    """An input; in its shape, None replaces ONNX's names of variable sizes."""

    def __init__(self, shape: Sequence[int | str]):
        self.shape = tuple(n if isinstance(n, int) else None for n in shape)

    def __repr__(self) -> str:
        return f"<input of shape {self.shape}>"


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
        side = value.name if value.name in ("question", "answer") else ""
        names = "pairs", f"{side}_length".lstrip("_")
        sizes = value.type.tensor_type.shape.dim
        for size, name in zip(sizes, names, strict=False):
            if not size.HasField("dim_value"):
                size.dim_param = name
