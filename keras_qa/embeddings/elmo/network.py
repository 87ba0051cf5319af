"""The network of an ELMo, in Keras.

Peters et al., "Deep contextualized word representations", NAACL 2018, section
3; sizes and order of operations are those of the released biLM
(https://github.com/allenai/bilm-tf, `bilm/model.py`).
"""

from collections.abc import Mapping
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_qa.embeddings.elmo.characters import CHARACTERS
from keras_qa.embeddings.elmo.options import ElmoOptions
from keras_qa.embeddings.elmo.options import lstm_name

FORGET_BIAS = 1.0
# The weights of an LSTM, in the order of the cell's.
WEIGHT_NAMES = ("W_0", "B", "W_P_0")


@keras.saving.register_keras_serializable(package="keras_qa")
class ProjectedLSTMCell(keras.layers.Layer):
    """One step of an LSTM whose output is projected and clipped.

    With the input x, the previous output h and the previous memory c,

        i, n, f, o = [x, h] W + b
        c' = clip(sigmoid(f + 1) c + sigmoid(i) tanh(n))
        h' = clip((sigmoid(o) tanh(c')) P)

    Args:
        units: width of the memory c.
        projection: width of the output h.
        cell_clip: bound of the memory's entries; None does not clip.
        projection_clip: bound of the output's entries; None does not clip.
        **kwargs: the arguments of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor `(batch_size, width)`.
        states: h `(batch_size, projection)` and c `(batch_size, units)`.

    Output:
        h', and the list of h' and c'.
    """

    def __init__(
        self,
        units: int,
        projection: int,
        cell_clip: float | None = None,
        projection_clip: float | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = units
        self.projection = projection
        self.cell_clip = cell_clip
        self.projection_clip = projection_clip
        self.state_size = [projection, units]
        self.output_size = projection

    def build(self, input_shape: tuple) -> None:
        """Creates W, b and P, in the order and shapes of the file."""
        width = input_shape[-1] + self.projection
        self.kernel = self.add_weight(
            name="kernel", shape=(width, 4 * self.units)
        )
        self.bias = self.add_weight(name="bias", shape=(4 * self.units,))
        self.projection_kernel = self.add_weight(
            name="projection_kernel", shape=(self.units, self.projection)
        )

    def call(self, inputs: Any, states: list) -> tuple[Any, list]:
        """Computes one step."""
        output, memory = states
        gates = ops.concatenate([inputs, output], axis=-1) @ self.kernel
        write, new, keep, read = ops.split(gates + self.bias, 4, axis=-1)
        memory = ops.sigmoid(keep + FORGET_BIAS) * memory
        memory = memory + ops.sigmoid(write) * ops.tanh(new)
        memory = _clipped(memory, self.cell_clip)
        output = ops.sigmoid(read) * ops.tanh(memory)
        output = _clipped(output @ self.projection_kernel, self.projection_clip)
        return output, [output, memory]

    def get_config(self) -> dict:
        """The constructor's arguments."""
        return {
            **super().get_config(),
            "units": self.units,
            "projection": self.projection,
            "cell_clip": self.cell_clip,
            "projection_clip": self.projection_clip,
        }


def _clipped(values: Any, bound: float | None) -> Any:
    return values if bound is None else ops.clip(values, -bound, bound)


def character_model(
    options: ElmoOptions, weights: Mapping[str, np.ndarray]
) -> keras.Model:
    """Builds the model from a word's characters to its vector.

    It has convolutions over the characters with max-pooling over positions and
    an activation, highway layers, and a projection.

    Args:
        options: the sizes.
        weights: the arrays of
            `keras_qa.embeddings.elmo.published_files.read_weights`.

    Returns:
        A model from int `(words, max_characters)` to float32
        `(words, projection)`.
    """
    ids = keras.Input((options.max_characters,), dtype="int32")
    embed = keras.layers.Embedding(
        CHARACTERS + 1, options.character_dim, dtype="float32"
    )
    vectors = embed(ids)
    # The file has no row for the id 0.
    embed.set_weights([np.pad(weights["char_embed"], [(1, 0), (0, 0)])])
    maxima = []
    for i, (width, number) in enumerate(options.filters):
        convolve = keras.layers.Conv1D(number, width, dtype="float32")
        maxima.append(ops.max(convolve(vectors), axis=1))
        kernel = weights[f"CNN/W_cnn_{i}"][0]
        convolve.set_weights([kernel, weights[f"CNN/b_cnn_{i}"]])
    activation = {"relu": ops.relu, "tanh": ops.tanh}[options.activation]
    word = activation(ops.concatenate(maxima, axis=-1))
    for i in range(options.highways):
        name = f"CNN_high_{i}"
        carry = _dense(word, weights, name, "carry", "sigmoid")
        transformed = _dense(word, weights, name, "transform", "relu")
        word = carry * transformed + (1.0 - carry) * word
    word = _dense(word, weights, "CNN_proj", "proj", None)
    return _runnable(keras.Model(ids, word))


def _dense(
    inputs: Any,
    weights: Mapping[str, np.ndarray],
    place: str,
    name: str,
    activation: str | None,
) -> Any:
    kernel, bias = weights[f"{place}/W_{name}"], weights[f"{place}/b_{name}"]
    layer = keras.layers.Dense(
        len(bias), activation=activation, dtype="float32"
    )
    outputs = layer(inputs)
    layer.set_weights([kernel, bias])
    return outputs


def language_model(
    options: ElmoOptions, weights: Mapping[str, np.ndarray]
) -> keras.Model:
    """Builds the model from the words of sentences to the states of all layers.

    The stacks of both directions are independent; only their outputs are
    concatenated. Every sentence starts with zero states.

    Args:
        options: the sizes.
        weights: the arrays of
            `keras_qa.embeddings.elmo.published_files.read_weights`.

    Returns:
        A model from `{"words", "mask"}`, float32 `(sentences, length,
        projection)` and bool `(sentences, length)`, right-padded, to float32
        `(sentences, length, 1 + layers, 2 projection)`, undefined at padding.
        Layer 0 is the word's vector twice.
    """
    words = keras.Input(
        (None, options.projection), dtype="float32", name="words"
    )
    mask = keras.Input((None,), dtype="bool", name="mask")
    directions = []
    for direction in (0, 1):
        outputs = [words]
        for i in range(options.layers):
            inputs = outputs[-1]
            cell = ProjectedLSTMCell(
                options.units,
                options.projection,
                options.cell_clip,
                options.projection_clip,
                dtype="float32",
            )
            # Backwards, padding comes first and leaves the states zero.
            states = keras.layers.RNN(
                cell,
                return_sequences=True,
                go_backwards=bool(direction),
                dtype="float32",
            )(inputs, mask=mask)
            name = lstm_name(direction, i)
            cell.set_weights([weights[f"{name}/{w}"] for w in WEIGHT_NAMES])
            if direction:
                states = ops.flip(states, axis=1)
            outputs.append(states + inputs if options.skip and i else states)
        directions.append(ops.stack(outputs, axis=2))
    states = ops.concatenate(directions, axis=-1)
    return _runnable(keras.Model({"words": words, "mask": mask}, states))


def _runnable(model: keras.Model) -> keras.Model:
    # On TensorFlow, XLA would compile each new shape.
    on_jax = keras.backend.backend() == "jax"
    model.compile(jit_compile="auto" if on_jax else False)
    return model
