"""ONNX models in onnxruntime, without Keras and its backends."""

import json
import os
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_qa.errors import RankerError
from keras_qa.export.target import ONNX
from keras_qa.files.text_files import shorten
from keras_qa.files.whole import file_digest
from keras_qa.telemetry import switch_off_telemetry
from keras_qa.text.ragged import Ragged
from keras_qa.text.reading import READING

ENCODER_FILE = "question_encoder.onnx"

BESIDE = "onnx"
"""The subfolder with the ONNX form of the Keras model of a folder."""

SOURCE = "keras_file_sha256"
"""The entry of its `reading.json` that names this Keras model."""

THREADS = "KERAS_QA_ONNX_THREADS"
"""The variable of the environment with the threads of a model; without it,
onnxruntime takes one for each core."""

# Number of texts encoded at a time; bounds the memory.
_TEXTS = 256


class OnnxModel:
    """An exported ONNX model, with the part of Keras's interface that ranks.

    Threads may share it.

    Args:
        path: a file that `export_onnx` or `export_question_encoder` wrote.

    Attributes:
        input: the inputs by name, each with its `shape`.

    Raises:
        ImportError: if onnxruntime is not installed.
        RankerError: if onnxruntime cannot load the file, or `THREADS` is set
            to another text than a number.
    """

    def __init__(self, path: Path):
        switch_off_telemetry()
        try:
            import onnxruntime
        except ImportError as error:
            raise ImportError(
                "Loading ONNX needs onnxruntime: pip install 'keras-qa[onnx]'"
            ) from error
        threads = os.environ.get(THREADS, "0")
        if not (threads.isdecimal() and len(threads) < 10):
            raise RankerError(
                f"{THREADS} must be a number below 10^9. Received: {threads!r}"
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(threads)
        try:
            self._session = onnxruntime.InferenceSession(path, options)
        # onnxruntime raises many types of errors for bad files.
        except Exception as error:
            raise RankerError(
                f"{path}: expected an ONNX model. "
                f"Received: {shorten(str(error))}"
            ) from error
        self.input = {
            x.name: _Input(x.shape) for x in self._session.get_inputs()
        }

    def predict_on_batch(self, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """The scores of pairs, float32 `(n, 1)`."""
        return self._session.run(["score"], dict(inputs))[0]

    def encode(self, texts: Ragged) -> np.ndarray:
        """The vectors of texts, by an encoder; float32 `(texts, dim)`."""
        ((name, taken),) = self.input.items()
        # Of no texts, the shape is that of the vectors.
        vectors = [
            self.predict_on_batch(
                {
                    name: texts.padded(
                        np.arange(start, min(start + _TEXTS, len(texts))),
                        taken.shape[1],
                    )
                }
            )
            for start in range(0, max(1, len(texts)), _TEXTS)
        ]
        return np.concatenate(vectors)


def find_beside(keras_file: Path) -> dict[str, Path]:
    """The ONNX files that were made of a Keras model and lie next to it.

    Args:
        keras_file: the `.keras` file; its folder may have a subfolder
            `BESIDE`.

    Returns:
        The files that are there, of the names `ONNX` and
        `ENCODER_FILE`; none if they were made of another Keras model, or
        onnxruntime is not installed.
    """
    folder = keras_file.parent / BESIDE
    names = ONNX, ENCODER_FILE
    found = {n: folder / n for n in names if (folder / n).is_file()}
    if not found:
        return {}
    try:
        noted = json.loads((folder / READING).read_text("utf-8")).get(SOURCE)
        if noted != file_digest(keras_file):
            return {}
        switch_off_telemetry()
        import onnxruntime  # noqa: F401
    # Without a sound ONNX form, the Keras model ranks.
    except (OSError, ValueError, AttributeError, ImportError):
        return {}
    return found


class _Input:
    """An input; in its shape, None replaces ONNX's names of variable sizes."""

    def __init__(self, shape: Sequence[int | str]):
        self.shape = tuple(n if isinstance(n, int) else None for n in shape)

    def __repr__(self) -> str:
        return f"<input of shape {self.shape}>"
