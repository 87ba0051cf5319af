"""Export for TensorFlow Serving: a SavedModel and the server's settings.

The warm-up requests are protobufs of TensorFlow Serving. Their messages have
few fields, so they are written here field by field, and the package
tensorflow-serving-api is not needed.

Source: tensorflow_serving/apis/prediction_log.proto, predict.proto and
model.proto, and tensorflow_serving/config/model_server_config.proto of
https://github.com/tensorflow/serving.
"""

from collections.abc import Mapping
from collections.abc import Sequence
from itertools import cycle
from itertools import islice
from pathlib import Path

import keras

from keras_qa.export.saved_model import EXTRA
from keras_qa.export.saved_model import export_saved_model
from keras_qa.export.servers.repository import NAME
from keras_qa.export.servers.repository import PAIRS
from keras_qa.export.servers.repository import VERSION
from keras_qa.export.servers.repository import check_name
from keras_qa.export.target import SAVED_MODEL_NAMES
from keras_qa.export.target import check_target
from keras_qa.files.whole import write_whole
from keras_qa.text.reading import TextReading

MODELS = "models.config"
BATCHING = "batching.config"
WARMUP = "tf_serving_warmup_requests"

ROOT = "/models"
"""Where the server's Docker image expects the folder."""

_SIGNATURE = "serving_default"
# Requests that wait while others are scored, as in `keras-qa serve`.
_WAITING = 128
# Pairs of the warm-up requests, and the words of their texts.
_PAIRS = (1, 20)
_WORDS = {"question": 8, "answer": 30}


def export_tf_serving(
    model: keras.Model,
    reading: TextReading,
    path: str | Path,
    *,
    name: str = NAME,
    overwrite: bool = False,
) -> None:
    """Writes a folder for TensorFlow Serving.

    - `NAME/1/` is the SavedModel of `export_saved_model`, with
      `assets.extra/tf_serving_warmup_requests`, which the server scores before
      it takes requests.
    - `models.config` names the model and its place, `/models/NAME`: the folder
      is mounted at `/models` in the server's container.
    - `batching.config` lets the server score together what waits. No request
      waits for others to come, and none may have more than `PAIRS` pairs.

    With batching, the server refuses the signature `rank`, because its
    question is a scalar; `serving_default` is the same with and without.

    Args:
        model: see `export_saved_model`.
        reading: how it read text in training.
        path: folder to write, atomically.
        name: the model's name in requests.
        overwrite: True allows an older folder of this kind to be replaced.

    Raises:
        ExportError: if Keras runs on another backend than TensorFlow, the model
            reads word pieces, or `name` cannot be a name.
        FileExistsError: if `path` exists, unless `overwrite` is true and
            `path` has `models.config` and this model alone.
        RankerError: if the model has inputs that `reading` does not provide.
    """
    path = Path(path)
    check_name(name)
    own = {
        ".": (MODELS, BATCHING, name),
        name: (VERSION,),
        f"{name}/{VERSION}": SAVED_MODEL_NAMES,
    }
    check_target(path, overwrite, MODELS, own)

    def save(folder: Path) -> None:
        folder.mkdir()
        version = folder / name / VERSION
        export_saved_model(model, reading, version)
        _write_warmup(version / EXTRA / WARMUP, name, reading.vocabulary.words)
        (folder / MODELS).write_text(
            "model_config_list {\n"
            "  config {\n"
            f'    name: "{name}"\n'
            f'    base_path: "{ROOT}/{name}"\n'
            '    model_platform: "tensorflow"\n'
            "  }\n"
            "}\n"
        )
        (folder / BATCHING).write_text(
            f"max_batch_size {{ value: {PAIRS} }}\n"
            "batch_timeout_micros { value: 0 }\n"
            f"max_enqueued_batches {{ value: {_WAITING} }}\n"
        )

    write_whole(path, save)


def _write_warmup(path: Path, name: str, words: Sequence[str]) -> None:
    """Writes requests as TFRecord, one `PredictionLog` each."""
    import tensorflow as tf

    endless = cycle(words[2:] or words)
    with tf.io.TFRecordWriter(str(path)) as records:
        for pairs in _PAIRS:
            texts = {
                side: [
                    " ".join(islice(endless, length)).encode()
                    for _ in range(pairs)
                ]
                for side, length in _WORDS.items()
            }
            records.write(_prediction_log(name, texts))


def _prediction_log(name: str, texts: Mapping[str, Sequence[bytes]]) -> bytes:
    """A `PredictionLog` of a request to the default signature."""
    import tensorflow as tf

    spec = _field(1, name.encode()) + _field(3, _SIGNATURE.encode())
    request = _field(1, spec)
    for side, given in texts.items():
        tensor = tf.make_tensor_proto(given, tf.string, [len(given)])
        # A map is a list of messages of a key and a value.
        entry = _field(1, side.encode()) + _field(2, tensor.SerializeToString())
        request += _field(2, entry)
    predict_log = _field(1, request)
    return _field(6, predict_log)


def _field(number: int, content: bytes) -> bytes:
    """A field of text or of a message, as protobuf encodes it."""
    length_delimited = 2
    return (
        _varint(number << 3 | length_delimited)
        + _varint(len(content))
        + content
    )


def _varint(number: int) -> bytes:
    """A number in groups of seven bits, the lowest first."""
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])
