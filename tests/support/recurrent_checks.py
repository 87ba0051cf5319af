"""Layers, texts and comparisons for the tests of the recurrent layers."""

import numpy as np
from keras import ops

from keras_qa.layers import CrossTemporalLayer
from keras_qa.layers import QRNNLayer

UNITS, M = 3, 4
POOLINGS = ["f", "fo", "ifo"]
# Each pooling and each kernel size.
KINDS = [("f", 2), ("fo", 1), ("fo", 2), ("fo", 3), ("ifo", 2)]
# Padding at the end, the start, both, nowhere, everywhere and in between.
MASK = np.array(
    [
        [1, 1, 1, 1, 0, 0],
        [1, 0, 0, 0, 0, 0],
        [0, 0, 1, 1, 1, 1],
        [0, 0, 0, 0, 0, 1],
        [0, 1, 1, 1, 0, 0],
        [1, 1, 1, 1, 1, 1],
        [0, 0, 0, 0, 0, 0],
        [1, 0, 1, 1, 0, 1],
    ],
    bool,
)
CROSSED = ["own", "partner"]
ALIGNMENTS = ["lengths", "padded"]
# Longer, shorter, equal, no multiple of each other, and single words.
QUESTION_LENGTHS = [3, 5, 2, 1, 4, 1]
ANSWER_LENGTHS = [7, 2, 2, 7, 6, 1]
FAR = 1e4  # the logit of a gate that is 0 or 1 to the last bit


def normal(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return values.astype("float32")


def to_numpy(tensor):
    return ops.convert_to_numpy(ops.cast(tensor, "float32"))


def close(found, expected, tolerance=1e-5):
    np.testing.assert_allclose(
        to_numpy(found), expected, rtol=tolerance, atol=tolerance
    )


def qrnn_layer(m=M, units=UNITS, seed=1, **kwargs):
    """A built layer with random weights, and these weights in float64."""
    # Zeros are the quickest initial values; `_fill` replaces them.
    layer = QRNNLayer(units, kernel_initializer="zeros", **kwargs)
    layer.build((None, None, m))
    return layer, _fill(layer, seed)


def crossed_layer(m=M, units=UNITS, seed=1, **kwargs):
    """A built `CrossTemporalLayer`, and its random weights in float64."""
    layer = CrossTemporalLayer(units, kernel_initializer="zeros", **kwargs)
    layer.build([(None, None, m), (None, None, m)])
    return layer, _fill(layer, seed)


def _fill(layer, seed):
    weights = [
        normal(*weight.shape, seed=seed + number)
        for number, weight in enumerate(layer.trainable_weights)
    ]
    for weight, value in zip(layer.trainable_weights, weights, strict=True):
        weight.assign(value)
    return [weight.astype("float64") for weight in weights]


def pad(texts, length, seed=9):
    """Texts with random padding on the right, and their mask."""
    padded = normal(len(texts), length, texts[0].shape[1], seed=seed)
    for row, text in enumerate(texts):
        padded[row, : len(text)] = text
    lengths = np.array([[len(text)] for text in texts])
    return padded, np.arange(length) < lengths


def pairs_of_texts(question_lengths, answer_lengths, m=M):
    """Random questions and answers of the given lengths."""
    return (
        [normal(n, m, seed=50 + n) for n in question_lengths],
        [normal(n, m, seed=80 + n) for n in answer_lengths],
    )


def ragged_batch():
    questions, answers = pairs_of_texts(QUESTION_LENGTHS, ANSWER_LENGTHS)
    (q, q_mask), (a, a_mask) = pad(questions, 5), pad(answers, 7, seed=8)
    return questions, answers, [q, a], [q_mask, a_mask]


def sum_of_both(joint, weights):
    return sum(
        ops.sum(ops.multiply(j, w)) for j, w in zip(joint, weights, strict=True)
    )
