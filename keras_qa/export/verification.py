"""Comparison of an exported model's scores with those of the Keras model."""

import warnings
from collections.abc import Sequence
from pathlib import Path

import keras
import numpy as np

from keras_qa.errors import ExportError
from keras_qa.errors import TextWarning
from keras_qa.export.onnx_model import OnnxModel
from keras_qa.export.saved_model import SavedModel
from keras_qa.export.target import ONNX
from keras_qa.ranking.padded import score_padded
from keras_qa.text.reading import TextReading

TOLERANCE = 1e-4
"""Largest difference allowed between two scores, divided by the largest
magnitude of the Keras model's scores where that exceeds 1.

In float32, sums over thousands of pairs of words differ by nearly as much when
their order does, also where the terms of a score cancel, and standardised
features of little spread magnify what is rounded."""


def verify_export(
    path: str | Path,
    model: keras.Model,
    reading: TextReading,
    questions: Sequence[str],
    answers: Sequence[str],
    *,
    tolerance: float = TOLERANCE,
) -> float:
    """Loads a SavedModel and compares its scores with the Keras model's.

    The signature `serving_default` scores all pairs; `rank` scores all answers
    as candidates of the first question.

    Args:
        path: folder of the SavedModel.
        model: the Keras model that was exported.
        reading: how it reads text.
        questions: at least one question.
        answers: `answers[i]` is the answer to `questions[i]`.
        tolerance: see `TOLERANCE`.

    Returns:
        The largest difference found, in the same measure.

    Raises:
        ExportError: if the difference exceeds the tolerance.
        RankerError: if the model has inputs that `reading` does not provide,
            or the folder contains no SavedModel that ranks text.
    """
    reading = reading.for_model(model)
    saved = SavedModel(Path(path))
    largest = 0.0
    for signature, asked, scores in (
        ("serving_default", questions, saved.scores(questions, answers)),
        (
            "rank",
            [questions[0]] * len(answers),
            saved.scores(questions[0], answers),
        ),
    ):
        read = reading.pairs(asked, answers)
        texts, _, answered, _ = read
        computed = score_padded(model, *read)
        expected = reading.unread_last(computed, texts, answered)
        difference = _compare(
            *(path, signature, scores, expected, computed),
            *(asked, answers, tolerance),
        )
        largest = max(largest, difference)
    return largest


def verify_onnx(
    path: str | Path,
    model: keras.Model,
    reading: TextReading,
    *,
    tolerance: float = TOLERANCE,
) -> float:
    """Loads an ONNX folder and compares its scores with the Keras model's.

    Both score answers of several lengths, of the vocabulary's words.

    Args:
        path: the folder, as of `add_onnx`.
        model: the Keras model that was exported.
        reading: how it reads text.
        tolerance: see `TOLERANCE`.

    Returns:
        The largest difference found, in the same measure.

    Raises:
        ExportError: if the difference exceeds the tolerance.
        ImportError: if onnxruntime is not installed.
        RankerError: if the model has inputs that `reading` does not provide,
            or onnxruntime cannot load the model.
    """
    reading = reading.for_model(model)
    words = reading.vocabulary.words[2:66]
    answers = [" ".join(words[n : 2 * n + 1]) for n in range(len(words) // 2)]
    asked = [" ".join(words[:8])] * len(answers)
    with warnings.catch_warnings():
        # Words of the vocabulary may be several tokens.
        warnings.simplefilter("ignore", TextWarning)
        read = reading.pairs(asked, answers)
    texts, _, answered, _ = read
    computed = score_padded(model, *read)
    expected = reading.unread_last(computed, texts, answered)
    scores = score_padded(OnnxModel(Path(path) / ONNX), *read)
    return _compare(
        *(path, ONNX, scores, expected, computed),
        *(asked, answers, tolerance),
    )


def _compare(
    path: str | Path,
    source: str,
    scores: np.ndarray,
    expected: np.ndarray,
    computed: np.ndarray,
    questions: Sequence[str],
    answers: Sequence[str],
    tolerance: float,
) -> float:
    """The largest difference, divided by the magnitude of the computed scores.

    Raises:
        ExportError: if it exceeds the tolerance.
    """
    difference = np.abs(scores - expected)
    difference /= np.maximum(1, np.abs(computed).max())
    worst = int(np.argmax(difference))
    # This form of the comparison rejects NaN.
    if not difference[worst] <= tolerance:
        raise ExportError(
            f"{path}: expected the scores of the model in memory, to "
            f"{tolerance}. Received: {scores[worst]} instead of "
            f"{expected[worst]} from {source!r} for the question "
            f"{questions[worst]!r} and answer {answers[worst]!r}"
        )
    return float(difference[worst])
