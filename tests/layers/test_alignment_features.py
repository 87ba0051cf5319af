"""AlignmentFeatures: the layer contract, and values from loops over words."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import AlignmentFeatures
from keras_qa.layers.alignment_features import FEATURES
from keras_qa.layers.alignment_features import WORD_FEATURES
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import quick_call
from support.layer_checks import run

SIZE, DIM = 12, 5
# Padded at either end, unknown words on both sides, and texts without words.
QUESTION = np.array(
    [[3, 5, 3, 0], [1, 7, 0, 0], [0, 2, 4, 4], [0] * 4, [6, 0, 0, 0]], "int32"
)
ANSWER = np.array(
    [
        *([5, 9, 5, 2, 11, 0], [1, 1, 8, 0, 0, 0], [0, 0, 4, 6, 0, 0]),
        *([5, 6, 0, 0, 0, 0], [0] * 6),
    ],
    "int32",
)
TRAIN = [[3, 5, 5, 1], [3, 2], [3, 9, 7], [6, 4]]


def vectors():
    """Of words in their texts: every position has its own; one is zero."""
    rng = np.random.default_rng(3)
    question, answer = (
        rng.normal(size=(*ids.shape, DIM)).astype("float32")
        for ids in (QUESTION, ANSWER)
    )
    answer[0, 1] = 0
    return question, answer


def adapted(features=None):
    layer = AlignmentFeatures(SIZE, features)
    layer.adapt(TRAIN)
    return layer


def idf_of(word):
    df = sum(word in text for text in TRAIN)
    return np.log((1 + len(TRAIN)) / (1 + df)) + 1


def cosine(x, y):
    norms = np.linalg.norm(x) * np.linalg.norm(y)
    return x @ y / norms if norms else 0.0


def mean(values, weights):
    total = sum(weights)
    weighted = sum(v * w for v, w in zip(values, weights, strict=True))
    return weighted / total if total else 0.0


def by_loops(question, answer, x, y):
    """The features of one pair, from its words without padding."""
    x, y = x[question > 0], y[answer > 0]
    question, answer = question[question > 0], answer[answer > 0]
    similarity = [
        [
            0.0 if w == v == 1 else cosine(x[i], y[j])
            for j, v in enumerate(answer)
        ]
        for i, w in enumerate(question)
    ]
    to_answer = [max(row, default=0.0) for row in similarity]
    to_question = [
        max((row[j] for row in similarity), default=0.0)
        for j in range(len(answer))
    ]
    weights = [idf_of(w) for w in question], [idf_of(w) for w in answer]
    sums = [sum(v, np.zeros(DIM)) for v in (x, y)]
    weighted = [
        sum((w * v for w, v in zip(ws, vs, strict=True)), np.zeros(DIM))
        for ws, vs in zip(weights, (x, y), strict=True)
    ]
    found = [float(w in answer and w != 1) for w in question]
    return {
        "alignment": mean(to_answer, [1] * len(question)),
        "idf_alignment": mean(to_answer, weights[0]),
        "answer_alignment": mean(to_question, [1] * len(answer)),
        "idf_answer_alignment": mean(to_question, weights[1]),
        "cosine": cosine(*sums),
        "idf_cosine": cosine(*weighted),
        "idf_overlap": mean(found, weights[0]),
        "overlap": mean(found, [1] * len(question)),
        "log_length": np.log(1 + len(answer)),
    }


def expected(features=FEATURES):
    pairs = zip(QUESTION, ANSWER, *vectors(), strict=True)
    rows = [by_loops(*pair) for pair in pairs]
    return np.array([[row[name] for name in features] for row in rows])


def test_layer_contract():
    inputs = [QUESTION, ANSWER, *vectors()]
    arguments = {"vocabulary_size": SIZE}
    check_layer(AlignmentFeatures, arguments, inputs, (5, 9), 0, 1)


@pytest.mark.parametrize("mode", MODES)
def test_values_by_loops(mode):
    layer = adapted()
    found = run(
        lambda *inputs: layer(list(inputs)),
        *(QUESTION, ANSWER, *vectors()),
        mode=mode,
    )
    np.testing.assert_allclose(found, expected(), atol=1e-5)
    # No words on one side or the other: nothing is alike.
    assert (found[3:, :8] == 0).all()


def test_some_features_in_another_order():
    names = ["overlap", "cosine", "alignment"]
    inputs = [QUESTION, ANSWER, *vectors()]
    found = quick_call(adapted(names), inputs)
    np.testing.assert_allclose(found, expected(names), atol=1e-5)


def test_features_of_words_need_no_vectors():
    found = quick_call(adapted(WORD_FEATURES), [QUESTION, ANSWER])
    np.testing.assert_allclose(found, expected(WORD_FEATURES), atol=1e-5)


def test_padding_and_what_vectors_are_there_change_nothing():
    question, answer = vectors()
    wide = [np.pad(ids, ((0, 0), (2, 3))) for ids in (QUESTION, ANSWER)]
    filled = [
        np.pad(x, ((0, 0), (2, 3), (0, 0)), constant_values=9.0)
        for x in (question, answer)
    ]
    found = quick_call(adapted(), [*wide, *filled])
    np.testing.assert_allclose(found, expected(), atol=1e-5)


def test_float32_under_mixed_precision():
    layer = AlignmentFeatures(SIZE, dtype="mixed_bfloat16")
    layer.adapt(TRAIN)
    found = layer([QUESTION, ANSWER, *vectors()])
    assert keras.backend.standardize_dtype(found.dtype) == "float32"
    np.testing.assert_allclose(found, expected(), atol=1e-5)


def test_pencil_values():
    """Of two words one occurs: a share of 1/2, of the idf 1.69 / 2.69."""
    layer = AlignmentFeatures(9, ["idf_overlap", "overlap"])
    layer.adapt([[2, 3], [2, 4], [2]])
    found = ops.convert_to_numpy(layer([np.array([[2, 3]]), np.array([[3]])]))
    np.testing.assert_allclose(found, [[1.693147 / 2.693147, 0.5]], rtol=1e-6)


@pytest.mark.once
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"features": ["idf"]}, "`features` must be one of .* features='idf'"),
        ({"features": []}, r"`features` must name at least one.*\[\]"),
        ({"vocabulary_size": 0}, "`vocabulary_size` must be .*=0"),
    ],
)
def test_rejects_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        AlignmentFeatures(**{"vocabulary_size": SIZE, **arguments})


@pytest.mark.once
def test_rejects_inputs():
    question, answer = vectors()
    for wrong in ([QUESTION], [QUESTION, ANSWER, question, answer[:, :4]]):
        with pytest.raises(ValueError, match="`inputs` must"):
            adapted()(wrong)
    with pytest.raises(ValueError, match=r"vectors for .*'cosine'.* 2 inputs"):
        adapted(["overlap", "cosine"])([QUESTION, ANSWER])
    with pytest.raises(ValueError, match="`texts` must hold at least one"):
        adapted().adapt([])
