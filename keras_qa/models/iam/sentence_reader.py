"""A model of one text that gives the states of a language model."""

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
    """A copy of `BidirectionalLanguageModel.encoder` as a part of a matcher.

    Args:
        append: the layer that closes a sentence.
        embedding: the layer of the word vectors.
        stack: the LSTMs of the language model.
        trainable: whether training the matcher changes them.
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
        # Nothing before has to be kept for a gradient.
        states = ops.stop_gradient(states)
    return keras.Model(
        words, {"mask": ops.not_equal(ids, 0), "states": states}, name=name
    )
