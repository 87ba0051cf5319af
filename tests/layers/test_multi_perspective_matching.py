"""MultiPerspectiveMatching against loops over the states of two texts."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import MultiPerspectiveMatching
from keras_qa.layers.multi_perspective_matching import STRATEGIES
from support.compare_aggregate_reference import multi_perspective_matching
from support.layer_checks import by_turns
from support.layer_checks import check_layer
from support.layer_checks import gradients
from support.layer_checks import run

RNG = np.random.default_rng(0)
TEXT, OTHER = (
    RNG.normal(size=(4, length, 6)).astype("f4") for length in (5, 4)
)
# Two ordinary pairs; no words in one text, and in both.
WORDS = np.arange(5) < np.array([[5], [2], [3], [0]])
OTHERS = np.arange(4) < np.array([[3], [4], [0], [0]])


def call(layer, mode, text=TEXT, other=OTHER):
    return run(
        lambda *x: layer([*x[:2]], mask=[*x[2:]]),
        *(text, other, WORDS, OTHERS),
        mode=mode,
    )


def test_layer_contract():
    check_layer(
        MultiPerspectiveMatching,
        {"perspectives": 3, "strategies": ["attentive", "full"]},
        [TEXT, OTHER],
        (4, 5, 12),
        trainable_weights=4,
    )


@pytest.mark.parametrize(
    ("strategies", "mode"),
    by_turns([(STRATEGIES[:2],), (STRATEGIES[:1:-1],)]),
)
def test_the_strategies(strategies, mode):
    layer = MultiPerspectiveMatching(3, strategies)
    layer.build([TEXT.shape, OTHER.shape])
    found = call(layer, mode)
    assert np.isfinite(found).all()
    for b, words in enumerate(WORDS):
        expected = multi_perspective_matching(
            *(TEXT[b, words], OTHER[b, OTHERS[b]]),
            *(layer.strategies, layer.get_weights()),
        )
        np.testing.assert_allclose(found[b, words], expected, 1e-4, 1e-5)


@pytest.mark.once
def test_a_sum_of_relevances_below_0_turns_the_mean():
    layer = MultiPerspectiveMatching(2, ["attentive"])
    text, other = np.array([[[1, 0.0]]]), np.array([[[-3, 0], [1, 0], [-2, 0]]])
    # The relevances -1, 1 and -1: (3 + 1 + 2) / -1 = -6.
    found = ops.convert_to_numpy(layer([text, other]))
    np.testing.assert_allclose(found, [[[-1, -1, 0, 0]]], atol=1e-6)


def test_gradients_are_finite_at_equal_and_0_at_zero_states():
    layer = MultiPerspectiveMatching(2)
    x = np.concatenate([TEXT, np.zeros_like(TEXT)])
    layer.build([x.shape, x.shape])
    for gradient in gradients(lambda p, q: layer([p, q]), x, x.copy()):
        assert np.isfinite(gradient).all()
        np.testing.assert_array_equal(gradient[len(TEXT) :], 0)


@pytest.mark.once
@pytest.mark.parametrize("strategies", ["full", [], ["full"] * 2, ["mean"]])
def test_rejects_strategies(strategies):
    with pytest.raises(
        ValueError, match=r"`strategies` must be diff.*Received"
    ):
        MultiPerspectiveMatching(strategies=strategies)


@pytest.mark.once
def test_rejects_states_of_an_odd_size():
    with pytest.raises(ValueError, match="an even number of features"):
        MultiPerspectiveMatching()([TEXT[..., :5], OTHER[..., :5]])


@pytest.mark.once
def test_matrices_start_apart():
    layer = MultiPerspectiveMatching(perspectives=3)
    layer.build([(None, 5, 4), (None, 6, 4)])
    starts = {np.array(weight).tobytes() for weight in layer.weights}
    assert len(starts) == len(layer.weights) == 2 * len(STRATEGIES)
