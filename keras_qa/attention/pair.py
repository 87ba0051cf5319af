"""A pair of texts as a model with attention reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from keras_qa.errors import AttentionError
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.vocabulary import Vocabulary

SIDES = ("question", "answer")


@dataclass(frozen=True)
class TextPair:
    """Two texts and what a model reads of them, by side.

    Attributes:
        words: the tokens of each side.
        inputs: the model's inputs, arrays `(1, length)` of word ids or `(1,
            length, dim)` of word vectors, one position for each token.
    """

    words: dict[str, list[str]]
    inputs: dict[str, np.ndarray]


def read_pair(
    model: Any,
    vocabulary: Vocabulary,
    question: str,
    answer: str,
    tokenizer: str = "word",
    max_question_length: int | None = None,
    max_answer_length: int | None = None,
) -> TextPair:
    """Splits the texts of a pair and numbers their words.

    Args:
        model: a model of word ids, with an attribute `vocabulary_size` if it
            is one of the library.
        vocabulary: the words by their ids.
        question: the question.
        answer: the answer.
        tokenizer: the one used in training, see `tokenizer.TOKENIZERS`.
        max_question_length: the question is cut to so many tokens.
        max_answer_length: the answer is cut to so many tokens.

    Raises:
        AttentionError: if the model does not read the vocabulary's words, or a
            text has no word.
    """
    size = getattr(model, "vocabulary_size", len(vocabulary))
    if size is None:
        raise AttentionError(
            "`model` must read word ids. Received: "
            f"{type(model).__name__}, which reads vectors of words"
        )
    if size != len(vocabulary):
        raise AttentionError(
            f"`vocabulary` must have the {size} words of the model. "
            f"Received: {len(vocabulary)} words"
        )
    words = {
        "question": tokenize(question, tokenizer)[:max_question_length],
        "answer": tokenize(answer, tokenizer)[:max_answer_length],
    }
    for side, text in zip(SIDES, (question, answer), strict=True):
        if not words[side]:
            raise AttentionError(
                f"`{side}` must have at least one word. Received: {text!r}"
            )
    return TextPair(
        words, {side: vocabulary.encode(words[side])[None] for side in SIDES}
    )


def score_and_weights(
    model: Any, weigh: Any, inputs: Mapping[str, np.ndarray]
) -> tuple[float, dict[str, np.ndarray]]:
    """What a model makes of one pair.

    Args:
        model: a model with the inputs `{"question", "answer"}`.
        weigh: a model with the same inputs that gives a dict of weights.
        inputs: the inputs of the pair, `TextPair.inputs`.

    Returns:
        The score, and the weights by name without the axis of the batch,
        float64.
    """
    # The command line is to be quick where it needs no Keras.
    import keras

    weights = {
        name: keras.ops.convert_to_numpy(values)[0].astype(float)
        for name, values in weigh(inputs, training=False).items()
    }
    score = keras.ops.convert_to_numpy(model(inputs, training=False))
    return float(score.reshape(())), weights
