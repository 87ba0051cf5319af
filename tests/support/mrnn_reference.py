"""MRNN's equations in NumPy, for texts without padding."""

import numpy as np
from keras import ops

from support.text_reference import convolution


def weights(layer):
    """A layer's weights by the last part of their paths."""
    return {
        weight.path.split("/")[-1]: ops.convert_to_numpy(weight).astype(float)
        for weight in layer.weights
    }


def prelu(x, alpha):
    return np.where(x > 0, x, alpha * x)


def pooled(x, size=2, pooling="max"):
    """Pools each position with its neighbours, without padding."""
    function = {"max": np.max, "avg": np.mean}[pooling]
    first = [max(0, i - (size - 1) // 2) for i in range(len(x))]
    last = [i + size // 2 + 1 for i in range(len(x))]
    return np.array(
        [function(x[i:j], axis=0) for i, j in zip(first, last, strict=True)]
    ).reshape(x.shape)


def dense_maps(texts, layer, training=False):
    """The maps `(blocks, length, filters)` of each text `(length, dim)`.

    In training the statistics are those of all positions of all texts.
    """
    maps = [[] for _ in texts]
    for block in layer.stack:
        w = weights(block)
        inputs = [
            np.concatenate(earlier, axis=1) if earlier else text
            for earlier, text in zip(maps, texts, strict=True)
        ]
        convolved = [convolution(x, w["kernel"]) for x in inputs]
        if layer.batch_normalization:
            mean, variance = w["moving_mean"], w["moving_variance"]
            if training:
                mean = np.concatenate(convolved).mean(0)
                variance = np.concatenate(convolved).var(0)
            convolved = [
                (x - mean) / np.sqrt(variance + 1e-3) * w["gamma"] + w["beta"]
                for x in convolved
            ]
        for own, x in zip(maps, convolved, strict=True):
            x = prelu(x, w["alpha"])
            if layer.pooling is not None:
                x = pooled(x, layer.pool_size, layer.pooling)
            own.append(w["scale"] * x)
    return [np.array(own) for own in maps]


def softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def softmax_block(values, layer):
    """Softmax weights of values `(..., n)`; larger inputs are masked."""
    count = values.shape[-1]
    missing = [(0, 0)] * (values.ndim - 1) + [(0, layer.size - count)]
    x, w = np.pad(values, missing), weights(layer)
    for i in range(1, len(layer.hidden_units) + 2):
        x = prelu(x @ w[f"kernel_{i}"] + w[f"bias_{i}"], w[f"alpha_{i}"])
    return softmax(x[..., :count])


def contextualize(maps, layer):
    """Equations 4 to 8: vectors and weights from `(blocks, length, dim)`."""
    blocks, length, _ = maps.shape
    if layer.weighting == "softmax":
        aw = softmax_block(maps.sum(-1).T, layer.softmax_block)
    else:
        last = np.eye(blocks)[-1]
        row = last if layer.weighting == "last" else np.full(blocks, 1 / blocks)
        aw = np.tile(row, (length, 1))
    return np.einsum("in,nis->is", aw, maps), aw


def distance(query, document, layer):
    """Equations 9 to 12: the distance and the weights of equation 10."""
    document = document[: layer.max_document_length]
    if layer.weighting == "softmax":
        aw = softmax_block(query @ document.T, layer.softmax_block)
    else:
        aw = np.full((len(query), len(document)), 1 / len(document))
    return np.linalg.norm(aw @ document - query, axis=1).sum(), aw


def randomize(layer, scale=1.0):
    """Gives all weights random values, and variances positive ones."""
    rng = np.random.default_rng(1)
    for weight in layer.weights:
        value = scale * rng.normal(size=weight.shape)
        if weight.path.endswith("variance"):
            value = np.abs(value) + 0.3
        weight.assign(value)
