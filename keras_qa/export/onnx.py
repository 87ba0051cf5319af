"""A trained model as ONNX, for onnxruntime in any language.

It takes ids and returns scores; a file beside it says what makes ids of a
text. tf2onnx converts it, so that loops over words stay loops: pairs may be
any number, of any length.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras

from keras_qa.export.converted_folder import check_folder
from keras_qa.export.converted_folder import write_folder

MODEL_FILE = "model.onnx"

OPSET = 18
"""The version of ONNX's operations; onnxruntime has them from 1.14 on."""


def export_onnx(
    model: keras.Model,
    vocabulary: Sequence[str] | None,
    path: str | Path,
    tokenizer: str = "word",
    max_question_length: int | None = None,
    max_answer_length: int | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Writes a folder with `model.onnx`, `vocabulary.txt` and `reading.json`.

    The model takes what the Keras model takes, by the same names, and returns
    `score`. Names of sizes that vary are `pairs`, `question_length` and
    `answer_length`, or `length` for other inputs. `write_folder` says what the
    other files hold.

    Args:
        model: a model of ids, or of word vectors.
        vocabulary: the words by their ids, as `Vocabulary.words`; None for a
            model of word vectors.
        path: folder to write. It is whole or absent.
        tokenizer: the one used in training, see `tokenizer.TOKENIZERS`.
        max_question_length: questions are to be cut to so many tokens, as
            they were in training; `None` keeps them whole.
        max_answer_length: the same for answers.
        overwrite: whether a folder that this function wrote may be replaced.

    Raises:
        FileExistsError: if there is something at `path` and `overwrite` is
            false, or it is no such folder.
        ImportError: if tf2onnx is not installed.
        ValueError: if Keras runs on another backend than TensorFlow, the
            vocabulary is not that of the model, or an argument is out of
            range.

    Example:
        >>> export_onnx(model, vocabulary.words, "ranker")
        >>> session = onnxruntime.InferenceSession("ranker/model.onnx")
        >>> session.run(["score"], {"question": [[5, 7]], "answer": [[9, 0]]})
    """
    lengths = {"question": max_question_length, "answer": max_answer_length}
    check_folder(model, vocabulary, path, tokenizer, lengths, overwrite)
    try:
        import tf2onnx
    except ImportError as error:
        raise ImportError(
            "Writing ONNX needs tf2onnx: pip install 'keras-qa[onnx]'"
        ) from error
    from keras_qa.export.tracing import for_converters
    from keras_qa.export.tracing import ids_function

    function, signature = ids_function(model)
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
        vocabulary,
        tokenizer,
        lengths,
        {s.name: (s.shape.as_list(), s.dtype.name) for s in signature},
    )


def _where(graph: Any, node: Any, name: str, _: list[Any]) -> None:
    """Converts `tf.where`.

    tf2onnx makes sums of products of it, which are NaN where what is not
    chosen is infinite, as in a maximum over no words.
    """
    from onnx import TensorProto

    inputs, outputs = list(node.input), list(node.output)
    dtype, shape = graph.get_dtype(outputs[0]), graph.get_shape(outputs[0])
    graph.remove_node(node.name)
    if dtype != TensorProto.BOOL:
        made = {"outputs": outputs, "dtypes": [dtype], "shapes": [shape]}
        graph.make_node("Where", inputs, name=name, **made)
        return
    # onnxruntime has no `Where` of truth values.
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
    """Names what varies, where tf2onnx counts."""
    for value in [*graph.input, *graph.output]:
        side = value.name if value.name in ("question", "answer") else ""
        names = "pairs", f"{side}_length".lstrip("_")
        sizes = value.type.tensor_type.shape.dim
        for size, name in zip(sizes, names, strict=False):
            if not size.HasField("dim_value"):
                size.dim_param = name
