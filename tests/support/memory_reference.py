"""Models of sentences and memories of tests, by NumPy loops."""

import numpy as np

from keras_qa.models import InferSent
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


SCORES = {InferSent: infersent}
