"""The check that an exported model scores as the model in memory does."""

from collections.abc import Sequence
from pathlib import Path

import keras
import numpy as np

from keras_qa.errors import ExportError
from keras_qa.export.saved_model import SavedModel
from keras_qa.ranking.scoring import score_padded
from keras_qa.text.reading import TextReading


def verify_export(
    path: str | Path,
    model: keras.Model,
    reading: TextReading,
    questions: Sequence[str],
    answers: Sequence[str],
    *,
    tolerance: float = 1e-5,
) -> float:
    """Loads a SavedModel and compares its scores with the model in memory.

    Pairs are compared as `serving_default` scores them, and all the answers
    to the first question as `rank` does.

    Args:
        path: folder of the SavedModel.
        model: the model that was exported.
        reading: how it reads text.
        questions: at least one text.
        answers: `answers[i]` is the answer to `questions[i]`.
        tolerance: largest difference allowed between two scores, absolute for
            scores of up to 1 and relative to the score beyond.

    Returns:
        The largest difference found, in the same measure.

    Raises:
        ExportError: if a difference exceeds the tolerance.
        RankerError: if the model takes anything but what `reading` gives, or
            the folder holds no SavedModel that ranks text.
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
        expected = score_padded(model, *reading.pairs(asked, answers))
        difference = np.abs(scores - expected)
        difference /= np.maximum(1, np.abs(expected))
        worst = int(np.argmax(difference))
        # Written so that NaN fails.
        if not difference[worst] <= tolerance:
            raise ExportError(
                f"{path}: expected the scores of the model in memory, to "
                f"{tolerance}. Received: {scores[worst]} instead of "
                f"{expected[worst]} from {signature!r} for the question "
                f"{asked[worst]!r} and answer {worst}"
            )
        largest = max(largest, float(difference[worst]))
    return largest
