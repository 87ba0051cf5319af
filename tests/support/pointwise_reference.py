"""The pointwise rankers of tests, and what they compute by NumPy."""

import numpy as np
from keras import ops

from keras_qa.layers import AlignmentFeatures
from keras_qa.models import CTRN
from keras_qa.models import CNNRanker
from keras_qa.models import LSTMRanker
from keras_qa.models import QRNNRanker
from support.inner_reference import softmax
from support.layer_checks import QUICKEST
from support.layer_checks import run
from support.pair_texts import weights_of
from support.qrnn_reference import cross_temporal
from support.qrnn_reference import qrnn
from support.text_reference import convolution
from support.text_reference import lstm

VOCABULARY, DIM, PROJECTED, UNITS, HIDDEN, FEATURES = 30, 5, 4, 3, 6, 2
MODELS = [CNNRanker, CTRN, LSTMRanker, QRNNRanker]
SIAMESE = [CNNRanker, LSTMRanker, QRNNRanker]

QUESTION = np.array([[3, 7, 7, 2, 9], [9, 0, 0, 0, 0], [4, 5, 0, 0, 0]])
ANSWER = np.array([[8, 3, 1], [5, 6, 0], [0, 0, 0]])
OVERLAP = np.array([[0.5, 3.0], [0.0, 1.0], [0.2, -2.0]], "float32")
LABELS = np.array([[1.0], [0.0], [0.0]], "float32")
WITH_WORDS = [0, 1]


def embeddings_of():
    return np.random.default_rng(0).normal(size=(VOCABULARY, DIM))


def make_model(model_class, **settings):
    """A small model whose weights are all random, biases too."""
    model = model_class(
        VOCABULARY,
        DIM,
        PROJECTED,
        UNITS,
        hidden_units=HIDDEN,
        embeddings=embeddings_of(),
        **settings,
    )
    rng = np.random.default_rng(1)
    for weight in sorted(model.trainable_weights, key=lambda w: w.path):
        if not weight.path.startswith("embedding"):
            weight.assign(rng.normal(size=weight.shape) * 0.7)
    return model


def inputs_of(model, question=QUESTION, answer=ANSWER):
    inputs = {
        "question": question.astype("int32"),
        "answer": answer.astype("int32"),
    }
    if model.overlap_features:
        inputs["overlap"] = OVERLAP
    return inputs


def scored(model, question=QUESTION, answer=ANSWER, mode=QUICKEST):
    inputs = inputs_of(model, question, answer)
    scores = run(
        lambda *arrays: model(dict(zip(inputs, arrays, strict=True))),
        *inputs.values(),
        mode=mode,
    )
    assert scores.shape == (len(question), 1)
    return scores[:, 0]


def words_of(model, ids):
    words = embeddings_of().astype("float32").astype(float)[ids[ids > 0]]
    first, *others = (weights_of(layer)[0] for layer in model.projections)
    x = words @ first
    for kernel in others:
        x = np.maximum(0, x) @ kernel
    return x


def _pooled(model, states):
    if model.pooling == "attentive":
        # Section 3 of dos Santos et al. (2016).
        (kernel,) = weights_of(model.get_layer("attentive_pooling"))
        fit = np.tanh(states[0] @ kernel @ states[1].T)
        return [
            softmax(fit.max(axis)) @ x
            for x, axis in zip(states, (1, 0), strict=True)
        ]
    pool = {
        "mean": lambda x: x.mean(0),
        "max": lambda x: x.max(0),
        "last": lambda x: x[-1],
    }[model.pooling]
    return [pool(x) for x in states]


def normalized(model, x):
    if not model.pooled_normalization:
        return x
    parts = getattr(model, "question_encoder", model)
    gamma, beta = weights_of(parts.get_layer("pooled_normalization"))
    return (x - x.mean()) / np.sqrt(x.var() + 1e-8) * gamma + beta


def expected_vectors(model, question, answer):
    pair = [words_of(model, ids) for ids in (question, answer)]
    weights = weights_of(model.encoder)
    if isinstance(model, CTRN):
        states = cross_temporal(
            *pair,
            *weights,
            crossed_input=model.crossed_input,
            zoneout=model.zoneout,
        )
    elif isinstance(model, QRNNRanker):
        states = [qrnn(x, *weights, zoneout=model.zoneout)[0] for x in pair]
    elif isinstance(model, LSTMRanker):
        states = [lstm(x, *weights) for x in pair]
    else:
        states = [np.maximum(0, convolution(x, *weights)) for x in pair]
    return [normalized(model, x) for x in _pooled(model, states)]


def expected_logits(model, row):
    x = expected_vectors(model, QUESTION[row], ANSWER[row])
    if model.overlap_features:
        x.append(OVERLAP[row])
    if model.alignment_features:
        # `test_alignment_features.py` compares the layer with loops.
        inputs = inputs_of(model)
        read = [inputs[side].astype("int32") for side in ("question", "answer")]
        vectors = [embeddings_of()[ids].astype("float32") for ids in read]
        features = AlignmentFeatures(VOCABULARY)([*read, *vectors])
        x.append(ops.convert_to_numpy(features)[row])
    x = np.concatenate(x)
    for i in range(model.hidden_layers):
        kernel, bias = weights_of(model.head.get_layer(f"hidden_{i}"))
        x = np.maximum(0, x @ kernel + bias)
    kernel, bias = weights_of(model.softmax)
    return x @ kernel + bias
