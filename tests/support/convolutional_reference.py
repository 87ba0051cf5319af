"""The convolutional rankers of tests, and what they compute by NumPy loops."""

import numpy as np
from keras import ops

from keras_qa.models import MPCNN
from keras_qa.models import BigramCNN
from keras_qa.models import SeverynMoschitti
from support.text_reference import wide_convolution

VOCABULARY, DIM = 30, 3
POOLINGS = {"max": np.max, "min": np.min, "mean": np.mean}


def make_model(model_class, **settings):
    """A small model whose weights are all random, biases too."""
    embeddings = np.random.default_rng(0).normal(size=(VOCABULARY, DIM))
    model = model_class(VOCABULARY, DIM, embeddings=embeddings, **settings)
    rng = np.random.default_rng(1)
    for weight in sorted(model.trainable_weights, key=lambda w: w.path):
        weight.assign(rng.normal(size=weight.shape) * 0.7)
    return model


def windows(words, size):
    """The windows within a text, or the only one of a shorter text."""
    if len(words) < size:
        return [np.pad(words, ((0, size - len(words)), (0, 0)))]
    return [words[i : i + size] for i in range(len(words) - size + 1)]


def narrow_convolution(words, kernel, bias):
    return np.array(
        [
            np.tanh(np.einsum("kd,kdf->f", window, kernel) + bias)
            for window in windows(words, len(kernel))
        ]
    )


def per_dimension_convolution(words, kernel, bias):
    """Outputs `(windows, filters, dim)`, one filter and dimension at a time."""
    _, filters, dim = kernel.shape
    outputs = []
    for window in windows(words, len(kernel)):
        out = np.empty((filters, dim))
        for f in range(filters):
            for d in range(dim):
                dot = window[:, d] @ kernel[:, f, d]
                out[f, d] = np.tanh(dot + bias[f, d])
        outputs.append(out)
    return np.array(outputs)


def com_u2(x, y):
    cosine = x @ y / (np.linalg.norm(x) * np.linalg.norm(y))
    return [cosine, np.sqrt(np.sum((x - y) ** 2))]


def com_u1(x, y):
    return [*com_u2(x, y), *np.abs(x - y)]


def words_of(model, ids):
    table = ops.convert_to_numpy(model.embedding.embeddings)
    return table[ids[ids > 0]]


def weights_of(layer):
    return [ops.convert_to_numpy(weight) for weight in layer.weights]


def mpcnn_comparisons(model, question, answer):
    """Algorithms 1 and 2 of He et al., in the order of the model."""
    layers = {layer.name: layer for layer in model.question_encoder.layers}
    widths = range(1, model.max_width + 1)

    def block_a(text, pooling):
        """The vectors of the widths, then that of the words."""
        pool = POOLINGS[pooling]
        outputs = [
            narrow_convolution(
                text, *weights_of(layers[f"holistic_{pooling}_{width}"])
            )
            for width in widths
        ]
        return np.array([pool(x, axis=0) for x in [*outputs, text]])

    texts = [words_of(model, ids) for ids in (question, answer)]
    found = []
    for pooling in POOLINGS:
        first, second = (block_a(text, pooling) for text in texts)
        for i in range(DIM):
            found += com_u2(first[:, i], second[:, i])
        for one in first:
            for other in second:
                found += com_u1(one, other)
    for pooling in ("max", "min"):
        for width in widths:
            layer = layers[f"per_dimension_{pooling}_{width}"]
            first, second = (
                POOLINGS[pooling](
                    per_dimension_convolution(text, *weights_of(layer)), axis=0
                )
                for text in texts
            )
            for one, other in zip(first, second, strict=True):
                found += com_u1(one, other)
    return np.array(found)


def dense(layer, x):
    kernel, bias = weights_of(layer)
    return x @ kernel + bias


def mpcnn(model, question, answer):
    x = mpcnn_comparisons(model, question, answer)
    if model.hidden_units is not None:
        x = np.tanh(dense(model.head.get_layer("hidden"), x))
    return dense(model.head.get_layer("score"), x)[0]


def severyn_moschitti(model, question, answer, features=()):
    def vector(encoder, ids, side):
        layer = encoder.get_layer(f"{side}_convolution")
        outputs = wide_convolution(words_of(model, ids), *weights_of(layer))
        return np.maximum(outputs, 0).max(axis=0)

    x_q = vector(model.question_encoder, question, "question")
    x_a = vector(model.answer_encoder, answer, "answer")
    (matrix,) = weights_of(model.head.get_layer("similarity"))
    join = np.concatenate([x_q, [x_q @ matrix @ x_a], x_a, features])
    hidden = np.maximum(dense(model.head.get_layer("hidden"), join), 0)
    return dense(model.head.get_layer("score"), hidden)[0]


def bigram_cnn(model, question, answer):
    def vector(ids):
        words = words_of(model, ids)
        if model.ngram == 1:
            return words.mean(axis=0)
        (left, right), bias = weights_of(
            model.question_encoder.get_layer("bigrams")
        )
        if len(words) == 1:
            return np.tanh(left.T @ words[0] + bias)
        bigrams = [
            np.tanh(left.T @ words[i] + right.T @ words[i + 1] + bias)
            for i in range(len(words) - 1)
        ]
        return np.mean(bigrams, axis=0)

    matrix, bias = weights_of(model.head.get_layer("similarity"))
    return vector(question) @ matrix @ vector(answer) + bias[0]


REFERENCES = {
    MPCNN: mpcnn,
    SeverynMoschitti: severyn_moschitti,
    BigramCNN: bigram_cnn,
}
