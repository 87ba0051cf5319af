"""Export for NVIDIA Triton: an ONNX folder in a model repository.

Source: docs/user_guide/model_repository.md and model_configuration.md of
https://github.com/triton-inference-server/server, and
protobuf/model_config.proto of https://github.com/triton-inference-server/common.
"""

from pathlib import Path
from typing import Any

import keras

from keras_qa.errors import ExportError
from keras_qa.export.onnx import export_onnx
from keras_qa.export.servers.repository import NAME
from keras_qa.export.servers.repository import PAIRS
from keras_qa.export.servers.repository import VERSION
from keras_qa.export.servers.repository import check_name
from keras_qa.export.target import ONNX
from keras_qa.export.target import check_target
from keras_qa.export.tokenizer_file import TOKENIZERS
from keras_qa.files.whole import write_whole
from keras_qa.text.reading import READING_NAMES
from keras_qa.text.reading import TextReading

CONFIG = "config.pbtxt"

# ONNX's names of types that Triton names otherwise.
_TYPES = {
    "BFLOAT16": "BF16",
    "DOUBLE": "FP64",
    "FLOAT": "FP32",
    "FLOAT16": "FP16",
}


def export_triton(
    model: keras.Model,
    reading: TextReading | None,
    path: str | Path,
    *,
    name: str = NAME,
    overwrite: bool = False,
) -> None:
    """Writes a model repository for Triton's ONNX Runtime backend.

    `NAME/1/` is the folder of `export_onnx`, whose tokenizers clients use;
    `NAME/config.pbtxt` says what `triton_config` returns.

    Args:
        model: see `export_onnx`.
        reading: see `export_onnx`.
        path: folder to write, atomically: the model repository.
        name: the model's name in requests.
        overwrite: True allows an older folder of this kind to be replaced.

    Raises:
        ExportError: if Keras runs on another backend than TensorFlow, the
            vocabulary does not have the model's size, or `name` cannot be a
            name.
        FileExistsError: if `path` exists, unless `overwrite` is true and
            `path` has `NAME/config.pbtxt` and this model alone.
        ImportError: if tf2onnx or tokenizers is not installed.
    """
    path = Path(path)
    check_name(name)
    own = {
        ".": (name,),
        name: (CONFIG, VERSION),
        f"{name}/{VERSION}": (ONNX, *READING_NAMES, *TOKENIZERS.values()),
    }
    check_target(path, overwrite, f"{name}/{CONFIG}", own)

    def save(folder: Path) -> None:
        version = folder / name / VERSION
        export_onnx(model, reading, version)
        text = triton_config(version / ONNX, name)
        (folder / name / CONFIG).write_text(text)

    write_whole(path, save)


def triton_config(file: Path, name: str) -> str:
    """The configuration of an ONNX model, in the text form of protobuf.

    Its inputs and outputs are those of the graph. The first axis, of the pairs,
    is Triton's batch: requests of together at most `PAIRS` pairs are scored
    together if their texts are padded to the same lengths, and none waits for
    others to come.

    Args:
        file: the ONNX model.
        name: the model's name, that of the folder.

    Raises:
        ExportError: if the first axis of an input or output has a fixed size.
    """
    import onnx

    graph = onnx.load(file, load_external_data=False).graph
    parts = [
        f'name: "{name}"\n'
        'backend: "onnxruntime"\n'
        f"max_batch_size: {PAIRS}\n"
        "dynamic_batching { }\n"
    ]
    for kind, values in (("input", graph.input), ("output", graph.output)):
        parts += [f"{kind} {_described(value)}" for value in values]
    return "".join(parts)


def _described(value: Any) -> str:
    """An input or output: its name, type and sizes without the batch."""
    from onnx import TensorProto

    tensor = value.type.tensor_type
    batch, *sizes = [
        size.dim_value if size.HasField("dim_value") else -1
        for size in tensor.shape.dim
    ]
    if batch != -1:
        raise ExportError(
            "Triton's batch must be the first axis, of any size. "
            f"Received: {value.name} of size {batch}"
        )
    kind = TensorProto.DataType.Name(tensor.elem_type)
    return (
        "{\n"
        f'  name: "{value.name}"\n'
        f"  data_type: TYPE_{_TYPES.get(kind, kind)}\n"
        f"  dims: [ {', '.join(map(str, sizes))} ]\n"
        "}\n"
    )
