"""The layers of grids of interactions as NumPy loops over one pair's words.

Texts are arrays `(length, dim)` without padding, unless said otherwise.
"""

import numpy as np

from support.text_reference import sigmoid


def cosine(x, y):
    size = np.linalg.norm(x) * np.linalg.norm(y)
    return x @ y / size if size else 0.0


def pair_convolution(question, answer, kernel, bias):
    """ARC-II's first layer with rectified units; rows of zeros are padding."""
    size = kernel.shape[1]
    texts = [np.pad(x, ((0, size - 1), (0, 0))) for x in (question, answer)]
    grid = np.zeros((len(question), len(answer), kernel.shape[-1]))
    for i in range(len(question)):
        for j in range(len(answer)):
            z = np.stack([texts[0][i : i + size], texts[1][j : j + size]])
            if z.any():
                h = np.einsum("tkd,tkdf->f", z, kernel) + bias
                grid[i, j] = np.maximum(h, 0)
    return grid


def gated_convolution(grid, kernel, bias):
    """The further convolutions of ARC-II, with rectified units."""
    size = len(kernel)
    rows, columns, _ = grid.shape
    padded = np.pad(grid, ((0, size - 1), (0, size - 1), (0, 0)))
    output = np.zeros((rows, columns, kernel.shape[-1]))
    for i in range(rows):
        for j in range(columns):
            z = padded[i : i + size, j : j + size]
            if z.any():
                h = np.einsum("klc,klcf->f", z, kernel) + bias
                output[i, j] = np.maximum(h, 0)
    return output


def max_of_four(grid):
    rows, columns = (np.array(grid.shape[:2]) + 1) // 2
    return np.array(
        [
            [
                grid[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].max(axis=(0, 1))
                for j in range(columns)
            ]
            for i in range(rows)
        ]
    )


def k_max_interactions(question, answer, k, similarity, weights):
    """The values of MV-LSTM's pooling, one channel's after the other's."""
    kernel, linear, bias = [*weights, None, None, None][:3]
    if similarity == "bilinear":
        linear, bias = None, weights[1]
    found = []
    for c in range(1 if kernel is None else len(kernel)):
        values = []
        for u in question:
            for v in answer:
                if similarity == "cosine":
                    values.append(cosine(u, v))
                    continue
                s = u @ kernel[c] @ v + bias[c]
                if similarity == "tensor":
                    s = s + linear[0, :, c] @ u + linear[1, :, c] @ v
                    s = max(s, 0)
                values.append(s)
        values = sorted(values, reverse=True)[:k]
        found += values + [0.0] * (k - len(values))
    return np.array(found)


def value_shared_matching(question, answer, bins, bin_weights, *weights):
    """aNMM's score, through the sums x_jk of each word's bins."""
    *set_weights, v = weights
    if not len(question):
        return 0.0
    nodes = []
    for q in question:
        x = np.zeros(bins)
        for a in answer:
            c = cosine(q, a)
            exact = c > 1 - 1e-6
            k = bins - 1 if exact else int((c + 1) / 2 * (bins - 1))
            x[k] += c
        h = sigmoid(x @ bin_weights)
        nodes.append(sigmoid(h @ set_weights[0])[0] if set_weights else h[0])
    gates = np.exp(question @ v)[:, 0]
    return gates @ np.array(nodes) / gates.sum()


def distance_matches(question, answer):
    found = np.zeros((len(question), len(answer)))
    for i, x in enumerate(question):
        for j, y in enumerate(answer):
            found[i, j] = 1 / (1 + np.linalg.norm(x - y))
    return found


def feature_maps(question, answer, question_kernel, answer_kernel):
    """ABCNN-1's input of the convolution, for both texts."""
    matches = distance_matches(question, answer)
    f_0 = question_kernel[: len(answer)].T @ matches.T
    f_1 = answer_kernel[: len(question)].T @ matches
    return (
        np.concatenate([question, f_0.T], axis=1),
        np.concatenate([answer, f_1.T], axis=1),
    )


def window_pooling(x, size, weights=None):
    """The w-ap and the all-ap of a text."""
    windows = range(len(x) - size + 1)
    if weights is not None:
        x = x * weights[:, None]
        whole = x.sum(axis=0)
        return np.array([x[j : j + size].sum(axis=0) for j in windows]), whole
    return (
        np.array([x[j : j + size].mean(axis=0) for j in windows]),
        x.mean(axis=0),
    )


def interactive_pooling(question, answer, kernel, bias, vector):
    """AI-CNN's two vectors and their weights, from the whole tensor."""
    tensor = question[:, None] * answer[None]
    vectors, weights = [], []
    for axis in (1, 0):
        best = tensor.max(axis=axis)
        e = np.exp(np.tanh(best @ kernel + bias) @ vector)[:, 0]
        weights.append(e / e.sum())
        vectors.append(weights[-1] @ best)
    return *vectors, *weights
