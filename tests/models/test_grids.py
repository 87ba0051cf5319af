"""The models of grids of interactions against their equations in NumPy."""

import numpy as np
import pytest
from keras import ops

from keras_qa import models
from support import grids_reference as reference
from support.all_models import scores_of
from support.model_checks import ANSWER
from support.model_checks import DIM
from support.model_checks import QUESTION
from support.model_checks import VOCABULARY
from support.model_checks import check_scores
from support.model_checks import dense
from support.model_checks import random_model
from support.model_checks import weights_of
from support.model_checks import words_of
from support.text_reference import bilstm
from support.text_reference import convolution
from support.text_reference import wide_convolution

# Their layers are tested on every backend, and so is one score of each model.
pytestmark = pytest.mark.once

LENGTHS = {"question_length": 5, "answer_length": 4}
SMALL = {
    "ABCNN": {"filters": 3, "kernel_size": 2, **LENGTHS},
    "AICNN": {"filters": 3, "hidden_units": 2, "attention_units": 5},
    "ANMM": {"bins": 9},
    "ARCII": {"filters": 3, "kernel_size": 2, "hidden_units": 2, **LENGTHS},
    "MVLSTM": {"units": 3, "hidden_units": 4, "channels": 2, "k": 3},
}


def build(name, **settings):
    settings = {**SMALL[name], **settings}
    return random_model(getattr(models, name), 0.5, **settings)


def vectors(model, ids):
    table = weights_of(model, "embedding")[0]
    return table[ids] * (ids > 0)[:, None]


def arc_ii(model, question, answer):
    """It reads padding up to the fixed lengths, as zeros."""
    grid = reference.pair_convolution(
        vectors(model, question),
        vectors(model, answer),
        *weights_of(model, "pair_convolution"),
    )
    grid = reference.max_of_four(grid)
    for i in range(1, model.blocks):
        weights = weights_of(model, f"convolution_{i}")
        grid = reference.max_of_four(
            reference.gated_convolution(grid, *weights)
        )
    hidden = np.maximum(dense(model, "hidden", grid.ravel()), 0)
    return dense(model, "score", hidden)[0]


def mv_lstm(model, question, answer):
    states = [
        bilstm(words_of(model, ids), weights_of(model, "bilstm"))
        for ids in (question, answer)
    ]
    values = reference.k_max_interactions(
        *states, model.k, model.similarity, weights_of(model, "interactions")
    )
    hidden = np.maximum(dense(model, "hidden", values), 0)
    return dense(model, "score", hidden)[0]


def anmm(model, question, answer):
    words = [words_of(model, ids) for ids in (question, answer)]
    return reference.value_shared_matching(
        *words, model.bins, *weights_of(model, "matching")
    )


def ai_cnn(model, question, answer):
    segments = [
        np.tanh(
            convolution(words_of(model, ids), *weights_of(model, "convolution"))
        )
        for ids in (question, answer)
    ]
    pooled = np.zeros(2 * model.filters)
    if all(map(len, segments)):
        weights = weights_of(model, "interactive_pooling")
        pooled = np.concatenate(
            reference.interactive_pooling(*segments, *weights)[:2]
        )
    return dense(model, "score", np.tanh(dense(model, "hidden", pooled)))[0]


def abcnn(model, question, answer):
    pair = [words_of(model, ids) for ids in (question, answer)]
    features = []
    if model.input_cosine:
        means = [x.mean(axis=0) if len(x) else np.zeros(DIM) for x in pair]
        features.append(reference.cosine(*means))
    for block in range(model.blocks):
        if not all(map(len, pair)):
            features.append(0)
            continue
        if model.attention in (1, 3):
            weights = weights_of(model, f"feature_maps_{block}")
            # One kernel serves both texts where it is shared.
            pair = reference.feature_maps(*pair, weights[0], weights[-1])
        weights = weights_of(model, f"convolution_{block}")
        pair = [np.tanh(wide_convolution(x, *weights)) for x in pair]
        sums = [None, None]
        if model.attention in (2, 3):
            matches = reference.distance_matches(*pair)
            sums = [matches.sum(axis=1), matches.sum(axis=0)]
        pooled = [
            reference.window_pooling(x, model.kernel_size, a)
            for x, a in zip(pair, sums, strict=True)
        ]
        pair = [windows for windows, _ in pooled]
        features.append(reference.cosine(*(whole for _, whole in pooled)))
    return dense(model, "score", np.array(features))[0]


@pytest.mark.parametrize(
    ("name", "score", "settings"),
    [
        ("ARCII", arc_ii, {"blocks": 1}),
        ("ARCII", arc_ii, {"blocks": 2}),
        ("MVLSTM", mv_lstm, {"similarity": "cosine"}),
        ("MVLSTM", mv_lstm, {}),
        ("ANMM", anmm, {}),
        ("ANMM", anmm, {"sets": 2}),
        ("AICNN", ai_cnn, {}),
        ("ABCNN", abcnn, {"attention": None}),
        ("ABCNN", abcnn, {"attention": 1}),
        ("ABCNN", abcnn, {"attention": 2, "input_cosine": True}),
        ("ABCNN", abcnn, {"attention": 3}),
        ("ABCNN", abcnn, {"shared_feature_maps": True, "answer_length": 5}),
    ],
)
def test_the_equations(name, score, settings):
    check_scores(build(name, **settings), score)


@pytest.mark.parametrize("name", ["ARCII", "ABCNN"])
def test_words_beyond_the_fixed_lengths_are_ignored(name):
    model = build(name)
    more = [np.pad(x, ((0, 0), (0, 2))) for x in (QUESTION, ANSWER)]
    more[0][0, 5] = more[1][0, 4:] = 8
    np.testing.assert_allclose(
        scores_of(model, *more, "eager"),
        scores_of(model, QUESTION, ANSWER, "eager"),
        rtol=1e-5,
    )


@pytest.mark.parametrize(
    ("name", "settings", "count"),
    [
        # Those of the docstrings, at the defaults.
        ("ARCII", {}, 301 * 200 + 2 * 1801 * 200 + 5001 * 100 + 101),
        ("MVLSTM", {}, 2 * 4 * 50 * 101 + 4 * (10_000 + 201) + 21 * 50 + 51),
        ("ANMM", {}, 900),
        ("ANMM", {"bins": 200, "sets": 10}, 2000 + 10 + 300),
        ("AICNN", {}, 901 * 200 + 201 * 200 + 200 + 401 * 100 + 101),
        ("ABCNN", {"attention": None}, 1201 * 50 + 201 * 50 + 3),
        ("ABCNN", {}, 168_103),
    ],
)
def test_numbers_of_parameters(name, settings, count):
    model = getattr(models, name)(VOCABULARY, **settings)
    assert model.core_parameters == count


def test_overlap_features_are_standardised():
    model = build("ABCNN", attention=None, overlap_features=2)
    features = np.random.default_rng(2).normal(3, 5, size=(4, 2))
    model.adapt_overlap(features)
    texts = {"question": QUESTION[[0] * 4], "answer": ANSWER[[0] * 4]}
    found = ops.convert_to_numpy(model({**texts, "overlap": features}))[:, 0]
    weights = weights_of(model, "score")[0][-2:, 0]
    standard = (features - features.mean(axis=0)) / features.std(axis=0)
    expected = standard @ weights
    np.testing.assert_allclose(
        found - found[0], expected - expected[0], rtol=1e-4, atol=1e-5
    )
    with pytest.raises(ValueError, match=r"must be positive.*features=0"):
        build("ABCNN").adapt_overlap(features)


def test_attention_of_ai_cnn():
    model = build("AICNN")
    weights = model.attention({"question": QUESTION, "answer": ANSWER})
    for ids, found in zip((QUESTION, ANSWER), weights.values(), strict=True):
        words = (ids > 0).any(axis=1)
        found = ops.convert_to_numpy(found)
        np.testing.assert_allclose(found.sum(axis=1), words, rtol=1e-5)
        assert (found[ids == 0] == 0).all()


@pytest.mark.parametrize(
    ("name", "setting", "message"),
    [
        ("ABCNN", {"attention": 4}, r"`attention` must be one of .*=4"),
        ("ABCNN", {"overlap_features": -1}, r"`overlap_features` must not"),
        ("ANMM", {"sets": 0}, r"`sets` must be .*=0"),
        ("MVLSTM", {"similarity": "dot"}, r"`similarity` must be .*='dot'"),
    ],
)
def test_rejects_arguments(name, setting, message):
    with pytest.raises(ValueError, match=message):
        build(name, **setting)
