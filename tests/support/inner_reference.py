"""Inner attention, its alignment and its models as NumPy loops over words."""

import numpy as np

from support.text_reference import sigmoid


def inner_attention_gru(
    weights, words, question, attention, go_backwards=False
):
    """States `(length, units)` and weights `(length,)` of one unpadded text.

    Args:
        weights: the weights of an `InnerAttentionGRU` by name.
        words: array `(length, dim)`.
        question: array `(question_dim,)`; None for no question.
        attention: `"word"`, `"context"` or `"gate"`.
        go_backwards: whether the text is read from its end.
    """
    w_z, w_f, w_c = np.split(weights["kernel"], 3, axis=1)
    u_z, u_f, u_c = np.split(weights["recurrent_kernel"], 3, axis=1)
    h = np.zeros(len(u_z))
    states, shares = [], []
    for x in words[::-1] if go_backwards else words:
        share, m_z, m_f = 1.0, 0.0, 0.0
        if question is not None:
            asked = question @ weights["question_kernel"]
            if attention == "gate":
                m_z, m_f = np.split(asked, 2)
            else:
                if attention == "context":
                    asked = asked + weights["context_kernel"] @ h
                share = sigmoid(asked @ x)
        x = share * x
        z = sigmoid(x @ w_z + h @ u_z + m_z)
        f = sigmoid(x @ w_f + h @ u_f + m_f)
        c = np.tanh(x @ w_c + (f * h) @ u_c)
        h = (1 - z) * h + z * c
        states.append(h)
        shares.append(share)
    states = np.array(states).reshape(-1, len(u_z))
    return states[::-1] if go_backwards else states, shares


def gesd(x, y):
    distance = np.sqrt(np.sum((x - y) ** 2))
    return sigmoid(x @ y + 1) / (1 + distance)


def decomposed(text, aligned):
    """The parts of the words of a text along, and across, the aligned ones."""
    parallel, orthogonal = np.zeros((2, *text.shape))
    for i, (x, y) in enumerate(zip(text, aligned, strict=True)):
        if y @ y > 0:
            parallel[i] = (x @ y) / (y @ y) * y
        orthogonal[i] = x - parallel[i]
    return parallel, orthogonal


def softmax(x):
    return np.exp(x) / np.sum(np.exp(x))


def self_attentive(states, kernel, score_kernel):
    """The means of a text's states, weighed by themselves, one for each hop."""
    means = []
    for vector in score_kernel.T:
        scores = [np.tanh(h @ kernel) @ vector for h in states]
        means.append(softmax(scores) @ states)
    return np.array(means)
