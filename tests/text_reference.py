"""The encoders of one unpadded text, as NumPy loops."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(words, kernel, recurrent_kernel, bias=0.0):
    """Hidden states `(length, units)` of a text `(length, dim)`.

    The gates lie side by side in the order of Keras: input, forget,
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
    """Outputs `(length, filters)`, each from the words around one."""
    size = len(kernel)
    wide = np.pad(words, (((size - 1) // 2, size // 2), (0, 0)))
    return np.array(
        [
            np.einsum("kd,kdf->f", wide[i : i + size], kernel) + bias
            for i in range(len(words))
        ]
    ).reshape(-1, kernel.shape[2])
