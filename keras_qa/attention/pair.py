"""A pair of texts as a model with attention reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from keras_qa.errors import AttentionError
from keras_qa.text.reading import TextReading
from keras_qa.text.sides import SIDES


@dataclass(frozen=True)
class TextPair:
    """The words of two texts and a model's inputs for them, by side.

    Attributes:
        words: the tokens of each side.
        inputs: the model's inputs, arrays `(1, length)` of word ids or `(1,
            length, dim)` of word vectors, one position for each token.
    """

    words: dict[str, list[str]]
    inputs: dict[str, np.ndarray]


def read_pair(
    model: Any, reading: TextReading, question: str, answer: str
) -> TextPair:
    """Splits the texts of a pair into words and looks up their ids.

    Args:
        model: a model of word ids, with an attribute `vocabulary_size` if it
            is one of the library.
        reading: how it read text in training.
        question: the question.
        answer: the answer.

    Raises:
        AttentionError: if a text has no word.
        RankerError: if the model has inputs that `reading` does not provide.
    """
    reading = reading.for_model(model)
    words, inputs = {}, {}
    for side, text in zip(SIDES, (question, answer), strict=True):
        words[side] = reading.tokens(side, text)
        if not words[side]:
            raise AttentionError(
                f"`{side}` must have at least one word. Received: {text!r}"
            )
        inputs[side] = reading.vocabulary.encode(words[side])[None]
    return TextPair(words, inputs)


def score_and_weights(
    model: Any, weigh: Any, inputs: Mapping[str, np.ndarray]
) -> tuple[float, dict[str, np.ndarray]]:
    """Computes the score and the weights of one pair.

    Args:
        model: a model with the inputs `{"question", "answer"}`.
        weigh: a model with the same inputs that returns a dict of weights.
        inputs: the inputs of the pair, as `TextPair.inputs`.

    Returns:
        The score, and the weights by name, float64, without the batch axis.
    """
    # Imported here, because commands without Keras must start quickly.
    import keras

    weights = {
        name: keras.ops.convert_to_numpy(values)[0].astype(float)
        for name, values in weigh(inputs, training=False).items()
    }
    score = keras.ops.convert_to_numpy(model(inputs, training=False))
    return float(score.reshape(())), weights
