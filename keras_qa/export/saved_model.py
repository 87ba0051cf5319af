"""Export to a SavedModel, which takes text and needs only TensorFlow.

Its folder `assets.extra`, which TensorFlow reserves for applications, contains
the architecture of the Keras model and how this model reads text:
`keras_qa.Ranker` restores the Keras model from them and from the variables.
"""

import json
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np

from keras_qa.arguments import check_equally_many
from keras_qa.errors import ExportError
from keras_qa.errors import ModelFileError
from keras_qa.errors import RankerError
from keras_qa.export.keras_file import check_config
from keras_qa.export.keras_file import model_config
from keras_qa.export.target import SAVED_MODEL
from keras_qa.export.target import SAVED_MODEL_NAMES
from keras_qa.export.target import check_target
from keras_qa.export.target import check_tensorflow
from keras_qa.files.text_files import shorten
from keras_qa.files.whole import write_whole
from keras_qa.text.reading import TextReading
from keras_qa.text.reading import fixed_width
from keras_qa.text.sides import SIDES
from keras_qa.text.tokenizer import well_formed
from keras_qa.text.word_pieces import WORD_PIECES

VARIABLES = "variables/variables.data-00000-of-00001"
EXTRA = "assets.extra"
ARCHITECTURE = "architecture.json"


def export_saved_model(
    model: keras.Model,
    reading: TextReading,
    path: str | Path,
    *,
    overwrite: bool = False,
) -> None:
    """Writes a SavedModel that takes text.

    It contains the tokeniser, the vocabulary, the weights and the counts of
    the overlap features; loading it needs only TensorFlow (2.15 or later).
    Answers that are not `reading.readable` have the score `UNREAD_SCORE`.
    Strings are UTF-8; bytes that are not UTF-8 become U+FFFD.

    The signature `serving_default` scores pairs:

    - `question`: string `(n,)`.
    - `answer`: string `(n,)`.
    - returns `score`: float32 `(n,)`, higher is better.

    The signature `rank` orders the candidates of one question:

    - `question`: string, a scalar.
    - `candidates`: string `(n,)`; `n` may be 0.
    - returns `scores`: float32 `(n,)` in the order of the candidates, and
      `order`: int32 `(n,)`, the positions of the candidates from best to
      worst; candidates of equal score keep their order.

    Both take any number of texts of any length: texts of similar length are
    scored together, about 65,000 tokens at a time.

    Args:
        model: takes `{"question", "answer"}` ids, and optionally `"overlap"`
            features `(n, 4)`, and returns `(n, 1)` scores. If its class has no
            `get_config`, the SavedModel ranks, but the Keras model cannot be
            restored from it.
        reading: how it read text in training.
        path: folder to write, atomically.
        overwrite: True allows an existing SavedModel to be replaced.

    Raises:
        ExportError: if Keras runs on another backend than TensorFlow, or the
            model reads word pieces.
        FileExistsError: if `path` exists, unless `overwrite` is true and
            `path` is a SavedModel with nothing else in it.
        RankerError: if the model has inputs that `reading` does not provide.

    Example:
        >>> export_saved_model(model, TextReading(vocabulary), "saved_model")
        >>> loaded = tf.saved_model.load("saved_model")
        >>> loaded.signatures["serving_default"](
        ...     question=tf.constant(["who wrote moby dick"]),
        ...     answer=tf.constant(["Herman Melville wrote it."]),
        ... )["score"]
    """
    path = Path(path)
    check_tensorflow()
    check_target(path, overwrite, SAVED_MODEL, {".": SAVED_MODEL_NAMES})
    if reading.tokenizer in WORD_PIECES:
        raise ExportError(
            "A SavedModel splits text into words, not into word pieces: write "
            'the form "onnx", with its tokenizers, or "keras", or save the '
            "ranker. "
            f"Received: tokenizer={reading.tokenizer!r}"
        )
    reading = reading.for_model(model)
    import tensorflow as tf

    from keras_qa.export.overlap_graph import OverlapInGraph
    from keras_qa.export.text_graph import TextEncoder
    from keras_qa.export.text_graph import text_signatures
    from keras_qa.export.tracing import for_any_machine

    vocabulary = reading.vocabulary
    encoder = TextEncoder(
        vocabulary.words, reading.tokenizer, vocabulary.oov_buckets
    )
    overlap = reading.overlap
    features = None if overlap is None else OverlapInGraph(overlap)
    width = {side: fixed_width(model, side) for side in SIDES}
    functions = text_signatures(model, encoder, reading, width, features)
    with for_any_machine(model):
        signatures = {
            name: function.get_concrete_function()
            for name, function in functions.items()
        }
    # Saving the Keras model would add the functions of its layers and its
    # optimizer; a plain module contains only what the signatures use.
    module = tf.Module()
    module.encoder = encoder
    module.features = features
    module.weights = [f.variables for f in signatures.values()]
    # In the order that `load_keras_model` expects.
    module.model_weights = [weight.value for weight in model.weights]
    architecture = _architecture(model)

    def save(scratch: Path) -> None:
        tf.saved_model.save(module, str(scratch), signatures=signatures)
        (scratch / EXTRA).mkdir()
        reading.save(scratch / EXTRA)
        if architecture is not None:
            (scratch / EXTRA / ARCHITECTURE).write_text(architecture, "utf-8")

    write_whole(path, save)


class SavedModel:
    """Scores texts with the signatures of a SavedModel.

    Args:
        path: folder that `export_saved_model` wrote.

    Raises:
        ImportError: if TensorFlow is not installed.
        RankerError: if the folder contains no SavedModel that ranks text.
    """

    def __init__(self, path: Path):
        try:
            import tensorflow as tf
        except ImportError as error:
            raise ImportError(
                "Loading a SavedModel requires TensorFlow: "
                "pip install tensorflow"
            ) from error
        self._strings: Callable[[Any], Any] = lambda texts: tf.constant(
            texts, tf.string
        )
        self.path = path
        try:
            # The attribute keeps the variables alive.
            self._loaded = tf.saved_model.load(str(path))
            self._score = self._loaded.signatures["serving_default"]
            self._rank = self._loaded.signatures["rank"]
        # TensorFlow raises many types of errors for bad files.
        except Exception as error:
            raise RankerError(
                f"{path}: expected a SavedModel with a signature `rank`, as "
                f"`export_saved_model` writes it. "
                f"Received: {shorten(str(error))}"
            ) from error

    def scores(
        self, questions: str | Sequence[str], answers: Sequence[str]
    ) -> np.ndarray:
        """Scores answers.

        Args:
            questions: one question for all answers, or one for each.
            answers: `n` texts.

        Returns:
            float32 `(n,)`, higher is better.

        Raises:
            RankerError: if `questions` and `answers` differ in length.
        """
        if isinstance(questions, str):
            (question,) = _utf8([questions])
            ranked = self._rank(
                question=self._strings(question),
                candidates=self._strings(_utf8(answers)),
            )
            return ranked["scores"].numpy()
        check_equally_many(RankerError, questions=questions, answers=answers)
        scored = self._score(
            question=self._strings(_utf8(questions)),
            answer=self._strings(_utf8(answers)),
        )
        return scored["score"].numpy()

    def load_keras_model(self) -> keras.Model:
        """The Keras model that was exported, with its weights.

        Raises:
            ModelFileError: if the stored architecture does not fit the
                weights, or names classes that are not the library's.
            RankerError: if the SavedModel contains no architecture.
        """
        path = self.path / EXTRA / ARCHITECTURE
        if not path.is_file():
            raise RankerError(
                f"{self.path}: expected a SavedModel that contains the Keras "
                "model, too; one of a class without `get_config` ranks only. "
                f"Received: no {path.name} in it"
            )
        weights = [weight.numpy() for weight in self._loaded.model_weights]
        try:
            text = path.read_text("utf-8")
            size = sum(weight.nbytes for weight in weights)
            check_config(path, json.loads(text), size)
            # Parsed again, as Keras may modify a configuration.
            model = keras.saving.deserialize_keras_object(json.loads(text))
            model.set_weights(weights)
        except ModelFileError:
            raise
        # Keras raises many types of errors for bad configurations.
        except Exception as error:
            raise ModelFileError(
                f"{path}: expected a model that this version of keras_qa can "
                f"load. Received: {shorten(f'{type(error).__name__}: {error}')}"
            ) from error
        return model


def _architecture(model: keras.Model) -> str | None:
    try:
        return json.dumps(model_config(model))
    # Keras raises these for a class without `get_config`.
    except (NotImplementedError, TypeError, ValueError):
        return None


def _utf8(texts: Sequence[str]) -> list[bytes]:
    """Texts in UTF-8, with surrogates replaced."""
    return [well_formed(text).encode("utf-8") for text in texts]
