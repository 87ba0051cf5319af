"""InteractiveAttention: the layer contract, and equations 7 and 8 in NumPy."""

import itertools

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import InteractiveAttention
from keras_qa.layers.interactive_attention import TERMS
from support.layer_checks import MODES
from support.layer_checks import QUICKEST
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import run

SIZE = 7
RNG = np.random.default_rng(0)
# The second question is shorter than its answer, the first one longer.
QUESTION_MASK = np.array([[1, 1, 1, 1, 1], [1, 0, 0, 0, 0], [0] * 5]) > 0
ANSWER_MASK = np.array([[1, 1, 0, 0], [1, 1, 1, 1], [0] * 4]) > 0
MASK = {"question_states": QUESTION_MASK, "answer_states": ANSWER_MASK}
IDS = {
    "question": np.array([[3, 3, 5], [6, 0, 0], [0] * 3]),
    "answer": np.array([[5, 0, 0, 0], [2, 6, 3, 2], [0] * 4]),
}
VECTORS = RNG.normal(size=(SIZE, 3)).astype("float32")


def _tf_idf(ids):
    weights = RNG.uniform(0.1, 1, ids.shape).astype("float32")
    return np.where(ids > 0, weights, np.float32(0))


INPUTS = {
    "question_states": RNG.normal(size=(3, 5, 4)).astype("float32"),
    "answer_states": RNG.normal(size=(3, 4, 4)).astype("float32"),
    "jump": RNG.uniform(0, 3, size=(3, 4)).astype("float32"),
    "answer_ids": IDS["answer"].astype("int32"),
    **{
        name: value
        for side, ids in IDS.items()
        for name, value in (
            (f"{side}_words", VECTORS[ids]),
            (f"{side}_tf_idf", _tf_idf(ids)),
        )
    },
}


def _layer(terms=TERMS, scale=1.0, **settings):
    layer = InteractiveAttention(terms, SIZE, **settings)
    layer.build({name: x.shape for name, x in INPUTS.items()})
    rng = np.random.default_rng(1)
    for weight in layer.weights:
        weight.assign(scale * rng.normal(size=weight.shape))
    return layer


def _call(layer, inputs=INPUTS, mask=MASK, mode=QUICKEST):
    names = sorted(inputs)
    masks = sorted(mask)

    def function(*arrays):
        values = dict(zip(names, arrays, strict=False))
        found = dict(zip(masks, arrays[len(names) :], strict=True))
        return layer(values, mask=found)

    arrays = [inputs[n] for n in names] + [mask[n] for n in masks]
    return run(function, *arrays, mode=mode)


def _array(weight):
    return ops.convert_to_numpy(weight).astype(float)


def _dense(row, side):
    """The tf-idf vector over the whole vocabulary."""
    d = np.zeros(SIZE)
    for i, weight in zip(
        IDS[side][row], INPUTS[f"{side}_tf_idf"][row], strict=True
    ):
        d[i] += weight
    return d


def _expected(layer, row):
    """Equations 7 and 8 for one pair, with the whole matrix M."""
    question = INPUTS["question_states"][row][QUESTION_MASK[row]]
    answer = INPUTS["answer_states"][row][ANSWER_MASK[row]]
    d_q, d_a = _dense(row, "question"), _dense(row, "answer")
    e = np.zeros(len(answer))
    for t in range(len(answer)):
        if "question" in layer.terms and layer.question_term == "final":
            state = np.concatenate([question[-1][:2], question[0][2:]])
            e[t] += _array(layer.question_vector) @ state
        elif "question" in layer.terms and t < len(question):
            e[t] += _array(layer.question_vector) @ question[t]
        if "answer" in layer.terms:
            e[t] += _array(layer.answer_vector) @ answer[t]
        if "jump" in layer.terms:
            e[t] += _array(layer.jump_scale) * INPUTS["jump"][row, t]
        if "frequency" in layer.terms:
            e[t] += _array(layer.frequency_vector) @ d_a
        if "match" in layer.terms:
            unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
            m = unit @ _array(layer.word_similarity) @ unit.T
            e[t] += _array(layer.match_scale) * (d_q @ m @ d_a)
    if layer.activation is keras.activations.tanh:
        e = np.tanh(e)
    exponentials = np.exp(e - e.max())
    return exponentials / exponentials.sum()


def _check(layer, weights):
    assert (weights[~ANSWER_MASK] == 0).all()
    for row in (0, 1):
        np.testing.assert_allclose(
            weights[row][ANSWER_MASK[row]], _expected(layer, row), rtol=1e-4
        )


def test_layer_contract():
    check_layer(
        InteractiveAttention,
        {"vocabulary_size": SIZE, "kernel_regularizer": "l2"},
        INPUTS,
        (3, 4),
        trainable_weights=5,
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("question_term", ["aligned", "final"])
def test_the_equations(question_term, mode):
    layer = _layer(question_term=question_term)
    _check(layer, _call(layer, mode=mode))


def test_the_match_by_itself():
    layer = _layer()
    weights, match = (
        ops.convert_to_numpy(x)
        for x in layer(INPUTS, mask=MASK, return_match=True)
    )
    _check(layer, weights)
    unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    m = unit @ _array(layer.word_similarity) @ unit.T
    expected = [
        _dense(row, "question") @ m @ _dense(row, "answer") for row in range(3)
    ]
    np.testing.assert_allclose(match[:, 0], expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "terms",
    [(), *[(t,) for t in TERMS], *itertools.combinations(TERMS, 4)],
    ids="-".join,
)
def test_each_term_can_be_left_out(terms):
    layer = _layer(terms)
    _check(layer, _call(layer))
    used = {"answer", "question"} & set(terms)
    scalars = {"jump": 1, "frequency": SIZE, "match": 1 + 9}
    assert layer.count_params() == 4 * bool(used) + sum(
        scalars.get(term, 0) for term in terms
    )


@pytest.mark.parametrize(
    "settings", [{"share_state_vector": False}, {"activation": "linear"}]
)
def test_other_readings(settings):
    layer = _layer(**settings)
    _check(layer, _call(layer))


def test_a_vector_for_each_text():
    layer = _layer(share_state_vector=False)
    names = [weight.name for weight in layer.weights]
    assert {"answer_vector", "question_vector"} < set(names)


@pytest.mark.once
def test_m_starts_as_the_cosines_and_the_rest_within_a_twentieth():
    layer = InteractiveAttention(vocabulary_size=SIZE)
    layer.build({name: x.shape for name, x in INPUTS.items()})
    np.testing.assert_array_equal(_array(layer.word_similarity), np.eye(3))
    cosine = (VECTORS[3] @ VECTORS[5]) / np.prod(
        np.linalg.norm(VECTORS[[3, 5]], axis=1)
    )
    one = {
        f"{side}_{name}": value
        for side, i in (("question", 3), ("answer", 5))
        for name, value in (
            ("words", VECTORS[None, [i]]),
            ("tf_idf", np.ones((1, 1), "float32")),
        )
    }
    (found,) = ops.convert_to_numpy(layer._match(one))
    assert found == pytest.approx(cosine, abs=1e-6)
    for weight in layer.weights:
        if weight.name != "word_similarity":
            assert 0 < np.abs(_array(weight)).max() <= 0.05


def test_padding_changes_nothing():
    layer = _layer()
    wide = {
        name: np.pad(x, ((0, 0), (0, 6)) + ((0, 0),) * (x.ndim - 2))
        for name, x in INPUTS.items()
    }
    for name in ("question_states", "answer_states"):
        wide[name][:, -6:] = 50
    mask = {name: np.pad(m, ((0, 0), (0, 6))) for name, m in MASK.items()}
    for question_term in ("aligned", "final"):
        layer.question_term = question_term
        found = _call(layer, wide, mask)
        np.testing.assert_allclose(found[:, :4], _call(layer), rtol=1e-5)
        assert (found[:, 4:] == 0).all()


def test_weights_are_bounded_by_the_curve_of_tanh():
    weights = _call(_layer(["answer"], scale=1000.0))[1]
    assert 7 < weights.max() / weights.min() <= np.exp(2) * (1 + 1e-6)


@pytest.mark.parametrize("scale", [0.0, 1.0, 1000.0])
def test_gradients_are_finite_and_zero_at_padding(scale):
    layer = _layer(scale=scale)
    floats = sorted(set(INPUTS) - {"answer_ids"})

    def output(*arrays):
        values = dict(zip(floats, arrays, strict=True))
        ids = ops.convert_to_tensor(INPUTS["answer_ids"])
        weights = layer({**values, "answer_ids": ids}, mask=MASK)
        return weights * ops.arange(4, dtype="float32")

    found = dict(
        zip(
            floats,
            gradients(output, *(INPUTS[n] for n in floats), mode=QUICKEST),
            strict=True,
        )
    )
    assert all(np.isfinite(x).all() for x in found.values())
    assert (found["answer_states"][~ANSWER_MASK] == 0).all()
    assert (found["question_states"][~QUESTION_MASK] == 0).all()
    assert (found["jump"][~ANSWER_MASK] == 0).all()


def test_zero_word_vectors_match_nothing():
    layer = _layer(["match"])
    zero = {**INPUTS, "answer_words": np.zeros_like(INPUTS["answer_words"])}
    np.testing.assert_allclose(_call(layer, zero)[1], 0.25)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"terms": "jump"}, "`terms` must be different .* terms='jump'"),
        ({"terms": ["jump", "jump"]}, "`terms` must be different ones of"),
        ({"terms": ["leap"]}, r"`terms` must be .* terms=\['leap'\]"),
        ({"question_term": "mean"}, "`question_term` must be .*='mean'"),
        ({"vocabulary_size": None}, "`vocabulary_size` must be .*=None"),
    ],
)
def test_rejects_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        InteractiveAttention(**{"vocabulary_size": SIZE, **arguments})


@pytest.mark.parametrize("shapes", [{"answer_states": (2, 3, 4)}, (2, 3, 4)])
def test_rejects_inputs_that_lack_something(shapes):
    message = r"`inputs` must be a dict that has \['answer_states', 'jump'\]"
    inputs = (
        {name: np.zeros(shape) for name, shape in shapes.items()}
        if isinstance(shapes, dict)
        else np.zeros(shapes)
    )
    with pytest.raises(ValueError, match=message):
        InteractiveAttention(["jump"])(inputs)


def test_no_match_without_its_term():
    layer = InteractiveAttention(["answer"])
    inputs = {"answer_states": np.zeros((2, 3, 4), np.float32)}
    symbolic = {"answer_states": keras.Input((3, 4))}
    for given in (inputs, symbolic):
        with pytest.raises(ValueError, match=r"`return_match` needs .*'answer"):
            layer(given, return_match=True)
