"""Comparison of an exported model's scores with those of the Keras model."""

from collections.abc import Sequence
from pathlib import Path

import keras
import numpy as np

from keras_qa.errors import ExportError
from keras_qa.export.saved_model import SavedModel
from keras_qa.ranking.padded import score_padded
from keras_qa.text.reading import TextReading


def verify_export(
    path: str | Path,
    model: keras.Model,
    reading: TextReading,
    questions: Sequence[str],
    answers: Sequence[str],
    *,
    tolerance: float = 1e-4,
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
        tolerance: largest difference allowed between two scores, divided by
            the largest magnitude of the Keras model's scores where that exceeds
            1. In float32, sums over thousands of pairs of words differ by
            nearly as much when their order does, also where the terms of a
            score cancel, and standardised features of little spread magnify
            what is rounded.

    Returns:
        The largest difference found, in the same measure.

    Raises:
        ExportError: if a difference exceeds the tolerance.
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
        difference = np.abs(scores - expected)
        difference /= np.maximum(1, np.abs(computed).max())
        worst = int(np.argmax(difference))
        # This form of the comparison rejects NaN.
        if not difference[worst] <= tolerance:
            raise ExportError(
                f"{path}: expected the scores of the model in memory, to "
                f"{tolerance}. Received: {scores[worst]} instead of "
                f"{expected[worst]} from {signature!r} for the question "
                f"{asked[worst]!r} and answer {worst}"
            )
        largest = max(largest, float(difference[worst]))
    return largest
