"""The siamese rankers of tests, and what they compute by NumPy loops."""

import math

import numpy as np

from keras_qa.models import ARCI
from keras_qa.models import CNTN
from keras_qa.models import HDLSTM
from keras_qa.models import NTNLSTM
from support.convolutional_reference import dense
from support.convolutional_reference import weights_of
from support.convolutional_reference import words_of
from support.text_reference import bilstm
from support.text_reference import lstm
from support.text_reference import wide_convolution


def relu(x):
    return np.maximum(x, 0)


def gated_convolution(words, kernel, bias, activation=relu):
    """Outputs `(length, filters)`, one for the window from each word on."""
    after = np.pad(words, ((0, len(kernel) - 1), (0, 0)))
    outputs = []
    for i in range(len(words)):
        window = after[i : i + len(kernel)]
        gate = 1 if window.any() else 0
        product = np.einsum("kd,kdf->f", window, kernel)
        outputs.append(gate * activation(product + bias))
    return np.array(outputs).reshape(-1, len(bias))


def max_over_windows(x, size=2):
    return [x[i : i + size].max(axis=0) for i in range(0, len(x), size)]


def arc_i_vector(model, encoder, ids):
    x = words_of(model, ids)
    for i in range(1, model.blocks + 1):
        layer = encoder.get_layer(f"convolution_{i}")
        x = np.array(max_over_windows(gated_convolution(x, *weights_of(layer))))
    return x.max(axis=0)


def cntn_vector(model, encoder, ids):
    x = words_of(model, ids)
    count, depth = len(x), model.blocks
    for i in range(1, depth + 1):
        kernel, bias = weights_of(encoder.get_layer(f"convolution_{i}"))
        x = np.tanh(wide_convolution(x, kernel, bias))
        k = max(model.k, math.ceil((depth - i) * count / depth))
        columns = []
        for column in x.T:
            order = sorted(range(len(column)), key=lambda p: -column[p])
            columns.append([column[p] for p in sorted(order[:k])])
        x = np.array(columns).T
    x = np.pad(x, ((0, model.k - len(x)), (0, 0)))
    return np.tanh(dense(encoder.get_layer("vector"), x.reshape(-1)))


def lstm_vector(model, encoder, ids):
    words = words_of(model, ids)
    if model.bidirectional:
        states = bilstm(words, weights_of(encoder.get_layer("bilstm")))
    else:
        states = lstm(words, *weights_of(encoder.get_layer("lstm")))
    if model.pooling != "last":
        return {"mean": np.mean, "max": np.max}[model.pooling](states, axis=0)
    if not model.bidirectional:
        return states[-1]
    half = model.units
    return np.concatenate([states[-1, :half], states[0, half:]])


def neural_tensor(layer, q, a):
    tensor, kernel, bias = weights_of(layer)
    slices = np.split(tensor, len(bias), axis=1)
    bilinear = np.array([q @ matrix @ a for matrix in slices])
    return np.tanh(bilinear + np.concatenate([q, a]) @ kernel + bias)


def circular_correlation(q, a):
    dim = len(q)
    return np.array(
        [sum(q[i] * a[(k + i) % dim] for i in range(dim)) for k in range(dim)]
    )


def arc_i_head(head, q, a, features):
    hidden = relu(dense(head.get_layer("hidden"), np.concatenate([q, a])))
    return dense(head.get_layer("score"), hidden)


def tensor_head(head, q, a, features):
    h = neural_tensor(head.get_layer("tensor"), q, a)
    (u,) = weights_of(head.get_layer("score"))
    return np.concatenate([h, features]) @ u


def holographic_head(head, q, a, features):
    (matrix,) = weights_of(head.get_layer("similarity"))
    x = [circular_correlation(q, a), [q @ matrix @ a], features]
    x = np.concatenate(x)
    for layer in head.layers:
        if layer.name.startswith("hidden_"):
            x = relu(dense(layer, x))
    return dense(head.get_layer("score"), x)


PARTS = {
    ARCI: (arc_i_vector, arc_i_head),
    CNTN: (cntn_vector, tensor_head),
    NTNLSTM: (lstm_vector, tensor_head),
    HDLSTM: (lstm_vector, holographic_head),
}


def score(model, question, answer, features=()):
    """The score of one pair of rows of ids."""
    vector, head = PARTS[type(model)]
    q = vector(model, model.question_encoder, question)
    a = vector(model, model.answer_encoder, answer)
    return head(model.head, q, a, features)[0]
