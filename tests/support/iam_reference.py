"""A small IAM, and what it computes by NumPy."""

import numpy as np
from keras import ops

from keras_qa.models import IAM
from keras_qa.text.vector_texts import VectorTexts
from support.layer_checks import QUICKEST
from support.layer_checks import run
from support.text_reference import lstm

VOCABULARY, DIM, UNITS, HIDDEN = 12, 4, 3, 5
SIZE = {"embedding_dim": DIM, "units": UNITS, "hidden_units": HIDDEN}
QUESTION = np.array([[3, 7, 7, 2], [9, 0, 0, 0], [0] * 4, [4, 5, 0, 0]])
ANSWER = np.array([[8, 3, 1], [5, 6, 0], [4, 0, 0], [0] * 3])
PAIRS = {"question": QUESTION.astype("int32"), "answer": ANSWER.astype("int32")}
RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(VOCABULARY, DIM)).astype("float32")


def _texts(*lengths):
    rows = [RNG.normal(size=(n, 2)).astype("float32") for n in lengths]
    return VectorTexts.from_arrays(rows, 2)


CONTEXTUAL = _texts(3, 1, 0, 4, 2)
ROWS = np.array([[4], [1], [0], [1]], dtype="int32")
CONTEXTUAL_ANSWERS = _texts(2, 5, 3, 1, 4, 3)
ANSWER_ROWS = np.array([[5], [0], [2], [2]], dtype="int32")


def make_model(**settings):
    """A small model whose weights are all random."""
    settings = {**SIZE, "layers": 1, "embeddings": VECTORS, **settings}
    model = IAM(VOCABULARY, **settings)
    rng = np.random.default_rng(1)
    for weight in model.weights:
        if "embedding" not in weight.path and "vectors" not in weight.path:
            weight.assign(rng.uniform(-1, 1, size=weight.shape))
    if model.jump_score is not None and "jump" not in settings:
        model.jump_score.deviation.assign(0.7)
    return model


def inputs_of(model, pairs=PAIRS):
    rows = {"question_row": ROWS, "answer_row": ANSWER_ROWS}
    return {name: {**pairs, **rows}[name] for name in model.input}


def scored(model, inputs=None, mode=QUICKEST):
    inputs = inputs_of(model) if inputs is None else inputs
    names = sorted(inputs)
    scores = run(
        lambda *arrays: model(dict(zip(names, arrays, strict=True))),
        *(inputs[name] for name in names),
        mode=mode,
    )
    assert scores.shape == (len(inputs["answer"]), 1)
    return scores[:, 0]


def attention_of(model):
    """The weights of the answers' words."""
    return run(
        lambda q, a: model.attention({"question": q, "answer": a})["answer"],
        *PAIRS.values(),
        mode=QUICKEST,
    )


def array_of(weight):
    return ops.convert_to_numpy(weight).astype(float)


def read(words, stack):
    """States `(length, 2 units)` of two directions that never meet."""
    halves = []
    for lstms, step in (
        (stack.forward_layers, 1),
        (stack.backward_layers, -1),
    ):
        states = words[::step]
        for layer in lstms:
            states = lstm(states, *(array_of(w) for w in layer.weights))
        halves.append(states[::step])
    return np.concatenate(halves, axis=1)


def tf_idf_of(model, ids):
    d = np.bincount(ids, minlength=VOCABULARY) * array_of(model.tf_idf.idf)
    return d / (np.linalg.norm(d) or 1)


def _contextual(vectors, length):
    """Vectors of a text, cut or filled up with 0."""
    found = vectors[:length]
    return np.pad(found, [(0, length - len(found)), (0, 0)])


def _match(model, row, question, answer):
    """d_q^T M d_a, with a weight for each position."""
    bags = []
    for ids, vectors in (
        (question, CONTEXTUAL[ROWS[row, 0]]),
        (answer, CONTEXTUAL_ANSWERS[ANSWER_ROWS[row, 0]]),
    ):
        words = array_of(model.embedding.embeddings)[ids]
        if model.answer_vectors is not None:
            words = _contextual(vectors, len(ids))
        unit = words / np.linalg.norm(words, axis=1, keepdims=True).clip(1e-6)
        repeated = np.bincount(ids, minlength=VOCABULARY)[ids]
        bags.append(tf_idf_of(model, ids)[ids] / repeated @ unit)
    similarity = array_of(model.interactive_attention.word_similarity)
    return bags[0] @ similarity @ bags[1]


def expected_of(model, row):
    """Score, weights and jumps of one pair, from unpadded texts."""
    table = array_of(model.embedding.embeddings)
    question, answer = (x[row][x[row] > 0] for x in (QUESTION, ANSWER))
    q, a = (np.append(ids, VOCABULARY) for ids in (question, answer))
    layer = model.interactive_attention
    h_q, h_a = (
        read(table[ids], reader.get_layer(f"{side}_language"))
        for side, ids, reader in (
            ("question", q, model.question_reader),
            ("answer", a, model.answer_reader),
        )
    )
    rbm = model.jump_score
    jumps = np.zeros(len(a))
    for t in range(len(a) - 1):
        energy = (
            h_a[t] @ array_of(rbm.kernel) @ h_a[t + 1]
            + array_of(rbm.state_bias) @ h_a[t]
            + array_of(rbm.next_bias) @ h_a[t + 1]
        )
        exponent = -energy - array_of(rbm.mean_exponent)
        jumps[t] = np.exp(exponent / array_of(rbm.deviation))
    u = array_of(layer.answer_vector)
    e = h_a @ u + array_of(layer.jump_scale) * jumps
    if layer.question_term == "final":
        e += u @ np.concatenate([h_q[-1, :UNITS], h_q[0, UNITS:]])
    else:
        e[: len(q)] += (h_q @ u)[: len(a)]
    d_a = tf_idf_of(model, answer)
    match = _match(model, row, question, answer)
    e += array_of(layer.frequency_vector) @ d_a
    e += array_of(layer.match_scale) * match
    weights = np.exp(np.tanh(e))
    weights /= weights.sum()
    c = weights @ h_a

    words = table[q]
    if model.text_vectors is not None:
        words = _contextual(CONTEXTUAL[ROWS[row, 0]], len(q))
    v_q, v_a, b = (
        array_of(w)
        for name in ("word_projection", "context_projection")
        for w in model.get_layer(name).weights
    )
    aware = read(np.tanh(words @ v_q + c @ v_a + b), model.question_stack)
    h = np.concatenate([aware[-1, :UNITS], aware[0, UNITS:], c])
    kernel, bias = (array_of(w) for w in model.get_layer("matching").weights)
    (theta,) = (array_of(w) for w in model.get_layer("softmax").weights)
    logits = np.tanh(h @ kernel + bias) @ theta
    score = logits[1] - logits[0]
    if model.match_in_logit:
        score += (
            match * array_of(*model.get_layer("match_in_logit").weights)[0, 0]
        )
    return score, weights[:-1], jumps[:-1]
