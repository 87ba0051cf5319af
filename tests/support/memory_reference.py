"""Models of sentences and memories of tests, by NumPy loops."""

import numpy as np

from keras_qa.models import RNNPOA
from keras_qa.models import InferSent
from keras_qa.models import JointBiLSTM
from keras_qa.models import KeyValueMemory
from keras_qa.models import MultihopSequentialLSTM
from keras_qa.models import RelationNetwork
from keras_qa.models import SelfLSTM
from support.convolutional_reference import dense
from support.convolutional_reference import weights_of
from support.convolutional_reference import words_of
from support.inner_reference import self_attentive
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


def joint_bilstm(model, question, answer):
    (separator,) = weights_of(model.get_layer("joined"))
    q, a = (words_of(model, ids) for ids in (question, answer))
    x = np.concatenate([q, [separator], a])
    for i in range(1, model.depth + 1):
        x = bilstm(x, weights_of(model.get_layer(f"bilstm_{i}")))
    score = model.get_layer("score")
    return np.mean([dense(score, state)[0] for state in x])


def softmax_mean(values, scores):
    """The mean of vectors with the softmax of the scores as weights."""
    exponentials = np.exp(scores - np.max(scores))
    weights = exponentials / exponentials.sum()
    return sum(w * value for w, value in zip(weights, values, strict=True))


def position_influence(question, answer, noise, sigma):
    """The vectors p_j of all positions of an answer."""
    known = {word for word in question if word > 1}
    vectors = np.zeros((len(answer), noise.shape[1]))
    for j in range(len(answer)):
        for k, word in enumerate(answer):
            u = abs(j - k)
            if word in known and u < len(noise):
                vectors[j] += np.exp(-(u**2) / (2 * sigma**2)) + noise[u]
    return vectors


def rnn_poa(model, question, answer):
    layer = model.get_layer
    means = {}
    for side, ids in (("question", question), ("answer", answer)):
        states = bilstm(words_of(model, ids), weights_of(layer("bilstm")))
        kernel, bias = weights_of(layer(f"{side}_states"))
        (vector,) = weights_of(layer(f"{side}_scores"))
        inner = states @ kernel + bias
        if side == "answer":
            (noise,) = weights_of(layer("influence"))
            (kernel,) = weights_of(layer("influence_states"))
            p = position_influence(question, ids[ids > 0], noise, model.sigma)
            inner = inner + p @ kernel
        means[side] = softmax_mean(states, (np.tanh(inner) @ vector)[:, 0])
    distance = np.abs(means["question"] - means["answer"]).sum()
    probability = np.exp(-distance)
    return np.log(probability / (1 - probability))


def sequential_attention(query, states, weights):
    """The mean of states whose weights a bidirectional LSTM computes."""
    return softmax_mean(states, bilstm(states * query, weights).sum(axis=1))


def cosine(x, y):
    return x @ y / (np.linalg.norm(x) * np.linalg.norm(y))


def multihop(model, question, answer):
    layer = model.get_layer
    h, answered = (
        bilstm(words_of(model, ids), weights_of(layer("bilstm")))
        for ids in (question, answer)
    )
    memory = h.mean(axis=0)
    vectors = [memory]
    for k in range(1, model.hops + 1):
        of_states, of_memory, vector = (
            weights_of(layer(f"hop_{k}_{name}"))[0]
            for name in ("states", "memory", "scores")
        )
        gate = np.tanh(memory @ of_memory)
        scores = (np.tanh(h @ of_states) * gate) @ vector
        vectors.append(softmax_mean(h, scores[:, 0]))
        memory = memory + vectors[-1]
    weights = weights_of(layer("sequential_attention"))
    return sum(
        cosine(o, sequential_attention(o, answered, weights)) for o in vectors
    )


def self_lstm(model, question, answer):
    h, answered = (
        bilstm(words_of(model, ids), weights_of(model.get_layer("bilstm")))
        for ids in (question, answer)
    )
    vectors = self_attentive(h, *weights_of(model.get_layer("self_attention")))
    weights = weights_of(model.get_layer("sequential_attention"))
    return sum(
        cosine(o, sequential_attention(o, answered, weights)) for o in vectors
    )


def window_sums(words, size):
    """The sum of the window around each word."""
    sums = np.zeros_like(words)
    for i in range(len(words)):
        for j in range(i - (size - 1) // 2, i + size // 2 + 1):
            if 0 <= j < len(words):
                sums[i] += words[j]
    return sums


def key_value_memory(model, question, answer):
    asked, answered = (words_of(model, ids) for ids in (question, answer))
    keys = window_sums(answered, model.kernel_size)
    values = answered if model.values == "center" else keys
    query = asked.sum(axis=0)
    for hop in range(1, model.hops + 1):
        (matrix,) = weights_of(model.get_layer(f"update_{hop}"))
        query = (query + softmax_mean(values, keys @ query)) @ matrix
    return query @ answered.sum(axis=0)


SCORES = {
    InferSent: infersent,
    JointBiLSTM: joint_bilstm,
    RelationNetwork: relation_network,
    RNNPOA: rnn_poa,
    MultihopSequentialLSTM: multihop,
    SelfLSTM: self_lstm,
    KeyValueMemory: key_value_memory,
}
