"""Encoders of one unpadded text as NumPy loops."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(words, kernel, recurrent_kernel, bias=0.0):
    """Hidden states `(length, units)` of a text `(length, dim)`.

    The gates are concatenated in the order of Keras: input, forget,
    candidate, output.
    """
    units = len(recurrent_kernel)
    h = c = np.zeros(units)
    states = []
    for word in words:
        gates = word @ kernel + h @ recurrent_kernel + bias
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states).reshape(-1, units)


def convolution(words, kernel, bias=0.0):
    """Outputs `(length, filters)`, one for the window around each word."""
    size = len(kernel)
    wide = np.pad(words, (((size - 1) // 2, size // 2), (0, 0)))
    return np.array(
        [
            np.einsum("kd,kdf->f", wide[i : i + size], kernel) + bias
            for i in range(len(words))
        ]
    ).reshape(-1, kernel.shape[2])


def bilstm(words, weights):
    """States `(length, 2 units)`, forward and backward concatenated.

    The weights are those of Keras's bidirectional LSTM: kernel, recurrent
    kernel and bias of the forward direction, then of the backward one.
    """
    half = len(weights) // 2
    return np.concatenate(
        [
            lstm(words, *weights[:half]),
            lstm(words[::-1], *weights[half:])[::-1],
        ],
        axis=1,
    )


def wide_convolution(words, kernel, bias=0.0):
    """Outputs `(length + size - 1, filters)`, of every window with a word."""
    size = len(kernel)
    wide = np.pad(words, ((size - 1, size - 1), (0, 0)))
    return np.array(
        [
            np.einsum("kd,kdf->f", wide[i : i + size], kernel) + bias
            for i in range(len(words) + size - 1)
        ]
    )


def attend(question, states, w_am, w_qm, w_ms, pooling):
    """Equations 11 to 13 of Tan et al. for one answer, and its weights."""
    logits = np.array(
        [np.tanh(w_am.T @ h + w_qm.T @ question) @ w_ms for h in states]
    )
    exponentials = np.exp(logits - logits.max())
    weights = exponentials / exponentials.sum()
    weighted = np.array([h * s for h, s in zip(states, weights, strict=True)])
    pooled = weighted.max(0) if pooling == "max" else weighted.mean(0)
    return pooled, weights
