"""Models of sentences and memories of tests, by NumPy loops."""

import numpy as np

from keras_qa.models import InferSent
from keras_qa.models import RelationNetwork
from support.convolutional_reference import dense
from support.convolutional_reference import weights_of
from support.convolutional_reference import words_of
from support.text_reference import bilstm


def infersent(model, question, answer):
    encoders = (model.question_encoder, model.answer_encoder)
    u, v = (
        bilstm(words_of(model, ids), weights_of(encoder.get_layer("bilstm")))
        for encoder, ids in zip(encoders, (question, answer), strict=True)
    )
    pool = {"max": np.max, "mean": np.mean}[model.pooling]
    u, v = pool(u, axis=0), pool(v, axis=0)
    x = np.concatenate([u, v, np.abs(u - v), u * v])
    hidden = np.tanh(dense(model.head.get_layer("hidden"), x))
    return dense(model.head.get_layer("score"), hidden)[0]


def relation_sum(question, answer, weights):
    """The sum of g over the pairs of words; weights are kernel, bias, ..."""
    total = 0
    for q in question:
        for a in answer:
            x = np.concatenate([q, a])
            for kernel, bias in zip(weights[::2], weights[1::2], strict=True):
                x = np.maximum(x @ kernel + bias, 0)
            total = total + x
    return total


def relation_network(model, question, answer):
    texts = (words_of(model, ids) for ids in (question, answer))
    x = relation_sum(*texts, weights_of(model.get_layer("relations")))
    for i in range(model.hidden_layers):
        x = np.maximum(dense(model.get_layer(f"hidden_{i}"), x), 0)
    return dense(model.get_layer("score"), x)[0]


SCORES = {InferSent: infersent, RelationNetwork: relation_network}
