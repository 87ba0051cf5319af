"""The ONNX form of a finished run, by which commands start without Keras."""

import shutil
import warnings
from pathlib import Path

import numpy as np

from keras_qa.errors import ExportError
from keras_qa.errors import TextWarning
from keras_qa.export.forms import check_packages
from keras_qa.export.onnx_beside import add_onnx
from keras_qa.ranker import Ranker
from keras_qa.text.readable import UNREAD_SCORE

# The largest difference of two scores, as `verify_export` measures it.
TOLERANCE = 1e-4


def add_checked_onnx(folder: Path) -> None:
    """Adds the ONNX form to a run that has none, and compares its scores.

    Args:
        folder: a finished run; nothing of it changes but its subfolder `onnx`.

    Raises:
        ExportError: if the form cannot be written, for whatever reason, or
            scores otherwise than the Keras model.
        ImportError: if a package is missing.
    """
    check_packages()
    try:
        with warnings.catch_warnings():
            # Words of the vocabulary may be several tokens.
            warnings.simplefilter("ignore", TextWarning)
            _add_checked(folder)
    # Converters raise many types of errors for a model that they cannot take.
    except Exception as error:
        raise ExportError(
            f"{folder}: the ranker is saved, but expected to add its ONNX "
            f"form. Received: {type(error).__name__}: {error}"
        ) from error


def _add_checked(folder: Path) -> None:
    ranker = Ranker.load(folder)
    if ranker.engine == "onnxruntime":
        return
    question, answers = _texts(ranker)
    expected = ranker.scores(question, answers)
    written = add_onnx(folder, overwrite=True)
    found = Ranker.load(written).scores(question, answers)
    read = np.abs(expected[expected > UNREAD_SCORE])
    difference = np.abs(found - expected) / read.max(initial=1)
    worst = int(np.argmax(difference))
    # This form of the comparison rejects NaN.
    if not difference[worst] <= TOLERANCE:
        # Every command would rank by it.
        shutil.rmtree(written)
        raise ExportError(
            f"Expected the scores of the Keras model, to {TOLERANCE}. "
            f"Received: {found[worst]} in place of {expected[worst]}"
        )


def _texts(ranker: Ranker) -> tuple[str, list[str]]:
    """A question and answers of the vocabulary's words, of several lengths."""
    words = ranker.reading.vocabulary.words[2:66]
    answers = [" ".join(words[n : 2 * n + 1]) for n in range(len(words) // 2)]
    return " ".join(words[:8]), answers
