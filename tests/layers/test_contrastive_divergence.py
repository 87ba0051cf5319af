"""Draws, pairs and the trainer, against SciPy and numerical integrals."""

import keras
import numpy as np
import pytest
from keras import ops
from scipy import stats

from keras_qa.layers import RBMJumpScore
from keras_qa.layers.contrastive_divergence import ContrastiveDivergence
from keras_qa.layers.contrastive_divergence import StatePairs
from keras_qa.layers.contrastive_divergence import truncated_exponential
from support.layer_checks import MODES
from support.layer_checks import run
from support.rbm_reference import ExactPairs
from support.rbm_reference import neighbours

pytestmark = pytest.mark.compiled

RATES = [0.0, 1e-9, 1e-6, 1e-4, 0.03, 1.0, 7.0, 40.0, 1e3]
SIGNED_RATES = [-rate for rate in RATES[:0:-1]] + RATES


@pytest.mark.parametrize("mode", MODES)
def test_draws_are_quantiles(mode):
    u = np.linspace(0, 1, 65, dtype="float32")
    rates, uniforms = np.meshgrid(np.float32(SIGNED_RATES), u, indexing="ij")
    draws = run(truncated_exponential, rates, uniforms, mode=mode)
    assert (np.abs(draws) <= 1).all()
    for rate, found in zip(SIGNED_RATES, draws, strict=True):
        if rate:
            size = abs(rate)
            from_the_top = stats.truncexpon(b=2 * size, scale=1 / size).ppf(u)
        else:
            from_the_top = 2 * u
        expected = (1 - from_the_top) * (1 if rate >= 0 else -1)
        np.testing.assert_allclose(found[:-1], expected[:-1], atol=2e-6)
        # The lowest of all draws, where 1 - u has no digits left.
        np.testing.assert_allclose(found[-1], expected[-1], atol=1e-3)


def test_moments_are_those_of_the_truncated_exponential():
    rates = np.float32([-1e3, -5, -0.5, 0, 1e-3, 2, 30])
    uniform = np.random.default_rng(0).random((200_000, 1), dtype="float32")
    draws = ops.convert_to_numpy(
        truncated_exponential(
            np.tile(rates, (len(uniform), 1)), np.tile(uniform, len(rates))
        )
    ).astype(float)
    for rate, x in zip(rates.astype(float), draws.T, strict=True):
        if rate:
            mean = 1 / np.tanh(rate) - 1 / rate
            variance = 1 / rate**2 - 1 / np.sinh(min(abs(rate), 300)) ** 2
        else:
            mean, variance = 0, 1 / 3
        error = np.sqrt(variance / len(x))
        assert abs(x.mean() - mean) < 5 * error
        np.testing.assert_allclose(x.var(), variance, rtol=0.02)


@pytest.mark.parametrize("dim", [1, 2])
def test_long_chains_have_the_moments_of_the_model(dim):
    layer = RBMJumpScore(initializer_range=1.5)
    layer.build((None, None, dim))
    exact = ExactPairs(dim)
    expected = exact.moments(exact.parameters(layer))
    start = np.zeros((40_000, dim), "float32")
    seed = keras.random.SeedGenerator(0)
    x, y = (ops.convert_to_numpy(s) for s in layer.reconstruct(start, 12, seed))
    found = np.concatenate([(x.T @ y / len(x)).ravel(), x.mean(0), y.mean(0)])
    np.testing.assert_allclose(found, expected, atol=0.015)


STATES = np.linspace(-0.9, 0.9, 24, dtype="float32").reshape(2, 4, 3)
MASK = np.array([[True, True, True, False], [True, False, True, True]])


def _rows(pairs):
    batches = [pairs[i][0] for i in range(len(pairs))]
    return {
        (*state, *following)
        for batch in batches
        for state, following in zip(
            batch["state"], batch["next_state"], strict=True
        )
    }


def test_pairs_are_neighbouring_words():
    expected = {
        (*STATES[0, 0], *STATES[0, 1]),
        (*STATES[0, 1], *STATES[0, 2]),
        (*STATES[1, 2], *STATES[1, 3]),
    }
    together = StatePairs([(STATES, MASK)], batch_size=2)
    apart = StatePairs(
        ((STATES[i : i + 1], MASK[i : i + 1]) for i in range(2)), batch_size=5
    )
    assert (together.pairs, len(together), together.dim) == (3, 2, 3)
    assert _rows(together) == _rows(apart) == expected
    [(states, following)] = together.in_order()
    np.testing.assert_array_equal(states, STATES[[0, 0, 1], [0, 1, 2]])
    np.testing.assert_array_equal(following, STATES[[0, 0, 1], [1, 2, 3]])
    assert StatePairs([(STATES, None)], 50).pairs == 6


def test_the_order_depends_on_seed_and_epoch_alone():
    def order(seed, epochs):
        pairs = StatePairs([(STATES, None)], 6, seed)
        for epoch in epochs:
            pairs.start_epoch(epoch)
        return pairs[0][0]["state"].tolist()

    assert order(3, [0, 1, 2]) == order(3, [2])
    assert order(3, [2]) != order(3, [1])
    assert order(3, [2]) != order(4, [2])


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([(STATES[0], None)], r"must have the shape .*\(4, 3\)"),
        ([(STATES, MASK[:, :3])], r"`mask` must .* \(2, 4\).*\(2, 3\)"),
        ([(STATES * 2, None)], r"\[-1, 1\], as those of an LSTM.* 1.79"),
        ([(STATES * np.nan, None)], r"\[-1, 1\].*a state of the size nan"),
        ([], "two words or more. Received: 0 batches of 0 words"),
        ([(STATES[:, :1], None)], "Received: 1 batches of 2 words"),
    ],
)
def test_texts_that_make_no_pairs(texts, message):
    with pytest.raises(ValueError, match=message):
        StatePairs(texts, 50)


def test_padding_may_hold_anything():
    states = np.where(MASK[..., None], STATES, np.nan)
    assert StatePairs([(states, MASK)], 50).pairs == 3


def test_the_gradient_is_that_of_the_likelihood():
    # With so many pairs and cycles contrastive divergence is the gradient of
    # the likelihood, of the right sign.
    layer = RBMJumpScore(initializer_range=0.8)
    layer.build((None, None, 2))
    exact, texts = ExactPairs(2), neighbours(400, 51, 2)
    expected = exact.gradient(exact.parameters(layer), texts)
    before = exact.parameters(layer)
    trainer = ContrastiveDivergence(layer, k=10)
    trainer.compile(keras.optimizers.SGD(1.0))
    pairs = StatePairs([(texts, None)], batch_size=20_000)
    trainer.fit(pairs, **pairs.fit_arguments(verbose=0))
    step = exact.parameters(layer) - before
    np.testing.assert_allclose(step, expected, atol=0.02)


def test_cycles_are_positive():
    with pytest.raises(ValueError, match=r"`k` must be .* Received: k=0"):
        ContrastiveDivergence(None, k=0)
