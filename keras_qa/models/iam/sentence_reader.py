"""Sentence readers: models from a text to the states of a language model."""

import keras
from keras import ops

from keras_qa.layers.append_token import AppendToken
from keras_qa.layers.bidirectional_stack import BidirectionalStack


def sentence_reader(
    append: AppendToken,
    embedding: keras.layers.Embedding,
    stack: BidirectionalStack,
    trainable: bool,
    name: str,
) -> keras.Model:
    """Creates a copy of `BidirectionalLanguageModel.encoder` for a matcher.

    Args:
        append: the layer that appends `<EOS>`.
        embedding: the embedding of words and `<EOS>`.
        stack: the LSTMs of the language model.
        trainable: whether training the matcher changes the LSTMs.
        name: name of the model.

    Returns:
        Model from word ids `(batch_size, length)` to a dict of `"mask"`
        `(batch_size, length + 1)`, true at words and at `<EOS>`, and of
        `"states"` `(batch_size, length + 1, 2 units)`, 0 elsewhere.
    """
    stack.trainable = trainable
    words = keras.Input((None,), dtype="int32", name="words")
    ids = append(words)
    states = stack(embedding(ids))
    if not trainable:
        # No values have to be kept for a gradient.
        states = ops.stop_gradient(states)
    return keras.Model(
        words, {"mask": ops.not_equal(ids, 0), "states": states}, name=name
    )
