"""Batches of texts, for `keras.Model.fit` on strings."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_qa.batches.pairs import PointwiseBatches
from keras_qa.text.reading import TextReading
from keras_qa.text.reading import check_texts


class TextBatches(PointwiseBatches):
    """Batches of labelled pairs of strings, which a reading makes inputs of.

    Models of the kit draw them anew for each epoch of `fit`; others are given
    `batches.feed()` and `**batches.fit_arguments(epochs=3)`.

    Args:
        reading: how the model reads text; the same reads text for
            `keras_qa.Ranker` after the training.
        questions: `n` texts.
        answers: `n` texts, `answers[i]` to `questions[i]`.
        labels: `n` labels, 0 for a wrong answer.
        batch_size: number of pairs per batch; one batch may have fewer.
        seed: seed of the shuffling.
        **kwargs: further arguments of `PointwiseBatches`.

    Raises:
        RankerError: if `questions` and `answers` differ in length, one is a
            single text, or an item is no string.
        ValueError: see `PointwiseBatches`.

    Example:
        >>> reading = TextReading(Vocabulary(["who", "wrote", "it", "ann"]))
        >>> batches = TextBatches(
        ...     reading, ["who wrote it"] * 2, ["ann", "it"], labels=[1, 0]
        ... )
        >>> model = CosineQA(len(reading.vocabulary), 8, 8)
        >>> loss = keras.losses.BinaryCrossentropy(from_logits=True)
        >>> model.compile("adam", loss=loss)
        >>> model.fit(batches, epochs=3)
        >>> Ranker(model, reading).rank("who wrote it", ["it", "ann"])
    """

    def __init__(
        self,
        reading: TextReading,
        questions: Sequence[str],
        answers: Sequence[str],
        labels: Sequence[float] | np.ndarray,
        batch_size: int = 32,
        seed: int = 0,
        **kwargs: Any,
    ):
        check_texts("questions", questions)
        check_texts("answers", answers)
        texts, asked, answered, features = reading.pairs(questions, answers)
        super().__init__(
            *(texts, asked, answered, np.asarray(labels), batch_size, seed),
            features=features,
            **kwargs,
        )
