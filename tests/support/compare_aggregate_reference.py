"""The layers of compare-aggregate models as NumPy loops over one pair's words.

Texts are arrays `(length, dim)` without padding.
"""

import numpy as np

from support.grids_reference import cosine


def aligned(text, other, weights=()):
    """h_i of `SoftAlignment` for each word of a text, by the formula."""
    keys = other
    if weights:
        kernel, bias = weights
        keys = [word @ kernel + bias for word in other]
    rows = []
    for word in text:
        e = np.array([np.exp(word @ key) for key in keys])
        terms = [share * y for share, y in zip(e / e.sum(), other, strict=True)]
        rows.append(np.sum([np.zeros(other.shape[1]), *terms], axis=0))
    return np.array(rows)


def word_comparison(function, word, aligned, weights):
    """One comparison of Wang and Jiang's six."""
    squares = (word - aligned) ** 2
    if function == "subtract":
        return squares
    if function == "multiply":
        return word * aligned
    if function == "euclidean_cosine":
        return np.array([np.sqrt(squares.sum()), cosine(word, aligned)])
    kernel, bias = weights
    if function == "ntn":
        # The kernel's rows are the entries of the slices, row by row.
        slices = kernel.reshape(len(word), len(aligned), -1)
        forms = [
            word @ slices[:, :, k] @ aligned for k in range(slices.shape[2])
        ]
        return np.maximum(np.array(forms) + bias, 0)
    parts = {
        "nn": [word, aligned],
        "submult_nn": [squares, word * aligned],
    }[function]
    return np.maximum(np.concatenate(parts) @ kernel + bias, 0)


def largest_of_windows(words, kernel, bias):
    """The maxima of rectified filters over the windows within a text."""
    width = len(kernel)
    if not len(words):
        return np.zeros(len(bias))
    words = np.array(words)
    words = np.pad(words, ((0, max(width - len(words), 0)), (0, 0)))
    outputs = [
        np.einsum("kd,kdf->f", words[i : i + width], kernel) + bias
        for i in range(len(words) - width + 1)
    ]
    return np.maximum(outputs, 0).max(axis=0)


def multi_perspective_matching(text, other, strategies, weights):
    """BiMPM's cosines of each state: forward strategies, then backward."""
    units, perspectives = text.shape[1] // 2, len(weights[0])
    if not len(other):
        return np.zeros((len(text), len(weights) * perspectives))
    rows = []
    for state in text:
        row = []
        for i, kernel in enumerate(weights):
            backward, number = divmod(i, len(strategies))
            half = slice(units, None) if backward else slice(units)
            p, states = state[half], other[:, half]
            relevances = np.array([cosine(p, q) for q in states])
            mean = sum(a * q for a, q in zip(relevances, states, strict=True))
            matched = {
                "full": [states[0 if backward else -1]],
                "max_pooling": states,
                "attentive": [mean / relevances.sum()],
                "max_attentive": [states[relevances.argmax()]],
            }[strategies[number]]
            for w in kernel:
                row.append(max(cosine(w * p, w * q) for q in matched))
        rows.append(row)
    return np.reshape(rows, (len(text), len(weights) * perspectives))
