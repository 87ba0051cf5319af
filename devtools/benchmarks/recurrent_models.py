"""The Keras models that `devtools.benchmarks.recurrent` measures.

Each takes a list of one or two texts of shape `(batch_size, length, features)`
and a list with a mask for each, `None` or `(batch_size, length)`, and returns a
list of outputs.
"""

from typing import Any

import keras
from keras import ops

from keras_qa.layers import AttentivePooling
from keras_qa.layers import CrossTemporalLayer
from keras_qa.layers import QRNNLayer
from keras_qa.layers.recurrence import linear_recurrence


class EachText(keras.Model):
    """A layer applied to each text separately."""

    def __init__(self, layer: keras.Layer):
        super().__init__()
        self.layer = layer

    def call(self, texts: list, masks: list, training: Any = None) -> list:
        """The layer's outputs for each text."""
        return [
            # A convolution takes no mask.
            self.layer(text, **({} if mask is None else {"mask": mask}))
            for text, mask in zip(texts, masks, strict=True)
        ]


class Crossed(keras.Model):
    """A layer applied to two texts together."""

    def __init__(self, layer: keras.Layer):
        super().__init__()
        self.layer = layer

    def call(self, texts: list, masks: list, training: Any = None) -> list:
        """The layer's outputs for both texts."""
        return list(self.layer(texts, mask=_given(masks)))


class AttentivePair(keras.Model):
    """One layer applied to both texts, followed by attentive pooling."""

    def __init__(self, layer: keras.Layer):
        super().__init__()
        self.layer = layer
        self.pooling = AttentivePooling()

    def call(self, texts: list, masks: list, training: Any = None) -> list:
        """A vector for each text."""
        states = [
            self.layer(text, mask=mask)
            for text, mask in zip(texts, masks, strict=True)
        ]
        return list(self.pooling(states, mask=_given(masks)))


class Recurrence(keras.Model):
    """The part of a QRNN after the convolution."""

    def call(self, texts: list, masks: list, training: Any = None) -> list:
        """The hidden states of gates' inputs `(batch, length, 3 * units)`."""
        z, f, o = ops.split(texts[0], 3, axis=-1)
        forget = ops.sigmoid(f)
        cell = linear_recurrence(forget, (1 - forget) * ops.tanh(z))
        return [ops.sigmoid(o) * cell]


def _given(masks: list) -> list | None:
    return None if masks[0] is None else masks


def build(name: str, units: int) -> keras.Model:
    """Builds the model of a contender of `recurrent_plan.CONTENDERS`."""
    if name == "recurrence":
        return Recurrence()
    if name == "conv":
        return EachText(
            keras.layers.Conv1D(3 * units, 2, padding="causal", use_bias=False)
        )
    if name in ("qrnn", "qrnn-pair"):
        return EachText(QRNNLayer(units, return_sequences=True))
    if name == "ctrn":
        return Crossed(CrossTemporalLayer(units))
    lstm = keras.layers.LSTM(units, return_sequences=True)
    if name == "lstm":
        return EachText(lstm)
    both_ways = keras.layers.Bidirectional(lstm)
    if name == "bilstm":
        return EachText(both_ways)
    if name == "ap-bilstm":
        return AttentivePair(both_ways)
    raise ValueError(
        f"`name` must be a contender built with Keras. Received: {name!r}"
    )
