"""Small models of Tan et al. and Feng et al., and their scores in NumPy."""

import numpy as np

from keras_qa.models import QACNN
from keras_qa.models import QALSTM
from keras_qa.models import AttentiveCNN
from keras_qa.models import AttentiveLSTM
from keras_qa.models import ConvBasedLSTM
from keras_qa.models import ConvPoolingLSTM
from keras_qa.models import FengCNN
from support.pair_texts import weights_of
from support.text_reference import attend
from support.text_reference import bilstm
from support.text_reference import convolution
from support.text_reference import wide_convolution

VOCABULARY, DIM = 30, 5
SIZES = {
    AttentiveCNN: {"filters": 4, "attention_units": 3},
    AttentiveLSTM: {"units": 2},
    ConvBasedLSTM: {"units": 2, "filters": 4},
    ConvPoolingLSTM: {"units": 2, "filters": 4},
    FengCNN: {"hidden_units": 3, "filters": 4},
    QACNN: {"filters": 4},
    QALSTM: {"units": 2},
}
MODELS = list(SIZES)
ATTENTIVE = [AttentiveCNN, AttentiveLSTM]

QUESTION = np.array([[3, 7, 7, 2], [9, 0, 0, 0], [0] * 4, [4, 5, 0, 0]])
ANSWER = np.array([[8, 3, 1], [5, 6, 0], [4, 0, 0], [0] * 3])
PAIRS = {"question": QUESTION.astype("int32"), "answer": ANSWER.astype("int32")}
WITH_WORDS = [0, 1]


def embeddings():
    return np.random.default_rng(0).normal(size=(VOCABULARY, DIM))


def small_model(model_class, **settings):
    """A small model whose weights are all random, including biases."""
    settings = {"embeddings": embeddings(), **SIZES[model_class], **settings}
    model = model_class(VOCABULARY, DIM, **settings)
    rng = np.random.default_rng(1)
    for weight in model.weights:
        if not weight.path.startswith("embedding"):
            weight.assign(rng.normal(size=weight.shape) * 0.7)
    return model


def _states(model, words):
    """The states from which a text's vector is pooled."""
    if isinstance(model, AttentiveLSTM | QALSTM):
        lstm = (
            model.bilstm
            if isinstance(model, QALSTM)
            else model.attentive.encoder
        )
        return bilstm(words, weights_of(lstm))
    if isinstance(model, ConvPoolingLSTM):
        states = bilstm(words, weights_of(model.bilstm))
        return np.tanh(wide_convolution(states, *weights_of(model.convolution)))
    if isinstance(model, ConvBasedLSTM):
        features = np.tanh(convolution(words, *weights_of(model.convolution)))
        return bilstm(features, weights_of(model.bilstm))
    if isinstance(model, FengCNN):
        kernel, *bias = weights_of(model.hidden)
        hidden = np.tanh(words @ kernel + sum(bias))
        return convolution(hidden, *weights_of(model.convolution))
    layer = (
        model.convolution
        if isinstance(model, QACNN)
        else model.attentive.encoder
    )
    features = convolution(words, *weights_of(layer))
    linear = model.activation.__name__ == "linear"
    return features if linear else np.tanh(features)


def _pooled(model, states):
    pooling = getattr(model, "pooling", "max")
    if pooling == "avg":
        return states.mean(0)
    if pooling == "head_tail":
        units = states.shape[1] // 2
        return np.concatenate([states[-1, :units], states[0, units:]])
    largest = states.max(0)
    return np.tanh(largest) if isinstance(model, FengCNN) else largest


def vectors(model, question, answer):
    """Both vectors of a pair of ids and the weights of the answer's words."""
    table = embeddings().astype("float32").astype(float)
    question, answer = (
        _states(model, table[ids[ids > 0]]) for ids in (question, answer)
    )
    o_q = _pooled(model, question)
    if not isinstance(model, AttentiveCNN | AttentiveLSTM):
        return o_q, _pooled(model, answer), None
    attention = model.attentive.attention
    o_a, scores = attend(
        o_q,
        answer,
        *weights_of(attention.answer_projection),
        *weights_of(attention.question_projection),
        weights_of(attention.score)[0][:, 0],
        model.pooling,
    )
    return o_q, o_a, scores


def cosine(q, a):
    return q @ a / np.linalg.norm(q) / np.linalg.norm(a)


def gesd(q, a, gamma=1.0, c=1.0):
    distance = np.linalg.norm(q - a)
    return 1 / (1 + distance) / (1 + np.exp(-gamma * (q @ a + c)))
