"""Two padded texts for tests of layers that compare all their positions."""

import numpy as np
from keras import ops

from support.layer_checks import run

_RNG = np.random.default_rng(0)
QUESTION = _RNG.normal(size=(4, 5, 3)).astype("float32")
ANSWER = _RNG.normal(size=(4, 4, 3)).astype("float32")
# A word that both texts have.
ANSWER[0, 1] = QUESTION[0, 2]
PAIR = [QUESTION, ANSWER]
# Two ordinary pairs; no words in one text, and in both.
ASKED = np.arange(5) < np.array([[5], [2], [0], [0]])
ANSWERED = np.arange(4) < np.array([[3], [4], [2], [0]])
PAIRS_OF_WORDS = [
    (q[asked], a[answered])
    for q, a, asked, answered in zip(
        QUESTION, ANSWER, ASKED, ANSWERED, strict=True
    )
]


def filled(layer, shapes=None):
    """Builds a layer with random weights, and biases above 0."""
    layer.build(shapes or [QUESTION.shape, ANSWER.shape])
    rng = np.random.default_rng(1)
    for weight in layer.weights:
        values = rng.normal(size=weight.shape)
        weight.assign(np.abs(values) if weight.name == "bias" else values)
    return layer


def weights_of(layer):
    return [ops.convert_to_numpy(w).astype(float) for w in layer.weights]


def call(layer, mode="eager", **settings):
    """The layer's output for the pair with its masks."""
    return run(
        lambda q, a, *masks: layer([q, a], mask=list(masks), **settings),
        *(QUESTION, ANSWER, ASKED, ANSWERED),
        mode=mode,
    )
