"""Unigram and bigram models against hand-computed values and sums to 1."""

import numpy as np
import pytest

from keras_qa.text.ngrams import BigramModel
from keras_qa.text.ngrams import UnigramModel

MODELS = [BigramModel, UnigramModel]
# Targets 1, 2, 1 and 3; the pairs (0, 1), (1, 2), (2, 1) and (0, 3).
SEQUENCES = [np.array([0, 1, 2, 1]), np.array([0, 3]), np.array([2])]


def _random_sequences(seed):
    rng = np.random.default_rng(seed)
    return [rng.zipf(1.5, n) % 7 for n in rng.integers(0, 9, 40)]


def test_unigrams_by_hand():
    model = UnigramModel(5, discount=0.5).fit(SEQUENCES)
    # Three classes of five were seen, four times together.
    spared = 0.5 * 3 / 5
    expected = np.array([0, 1.5, 0.5, 0.5, 0]) + spared
    np.testing.assert_allclose(model.probabilities, expected / 4)
    found = model.log_likelihoods([np.array([4, 1, 0])])
    np.testing.assert_allclose(found, np.log([1.8 / 4, 0.3 / 4]))


def test_bigrams_by_hand():
    model = BigramModel(5, discount=0.5).fit(SEQUENCES)
    # Class 1 follows two others, 2 and 3 follow one.
    lower = (np.array([0, 1.5, 0.5, 0.5, 0]) + 0.5 * 3 / 5) / 4
    np.testing.assert_allclose(model.probabilities, lower)
    expected = {
        (0, 1): (0.5 + 0.5 * 2 * lower[1]) / 2,
        (0, 2): (0.0 + 0.5 * 2 * lower[2]) / 2,
        (1, 2): (0.5 + 0.5 * 1 * lower[2]) / 1,
        # Never a context.
        (3, 1): lower[1],
    }
    for pair, probability in expected.items():
        found = model.log_likelihoods([np.array(pair)])
        np.testing.assert_allclose(found, np.log([probability]))


@pytest.mark.parametrize("discount", [0.1, 0.75])
@pytest.mark.parametrize("model_class", MODELS)
def test_probabilities_sum_to_one(model_class, discount):
    model = model_class(7, discount).fit(_random_sequences(0)[:20])
    for context in range(7):
        pairs = [np.array([context, target]) for target in range(7)]
        assert np.exp(model.log_likelihoods(pairs)).sum() == pytest.approx(1)


@pytest.mark.parametrize("model_class", MODELS)
def test_perplexity_is_the_geometric_mean_over_all_targets(model_class):
    model = model_class(7).fit(_random_sequences(0))
    sequences = _random_sequences(1)
    each = [model.log_likelihoods([s]) for s in sequences if len(s) > 1]
    joined = np.concatenate(each)
    np.testing.assert_allclose(model.log_likelihoods(sequences), joined)
    expected = np.exp(joined).prod() ** (-1 / len(joined))
    assert model.perplexity(iter(sequences)) == pytest.approx(expected)


def test_bigrams_know_what_follows():
    rng = np.random.default_rng(0)
    sequences = [(rng.integers(50) + np.arange(9)) % 50 for _ in range(99)]
    unigrams, bigrams = (
        m(50).fit(sequences) for m in (UnigramModel, BigramModel)
    )
    assert unigrams.perplexity(sequences) > 40
    assert bigrams.perplexity(sequences) < 1.2


@pytest.mark.parametrize(
    ("arguments", "sequences", "message"),
    [
        ({"class_count": 0}, [], r"`class_count` must .*class_count=0"),
        ({"discount": 0}, [], r"`discount` must be .*discount=0"),
        ({"discount": 1}, [], r"`discount` must be .*discount=1"),
        ({}, [], r"at least one of two classes or more\. Received: none"),
        ({}, [[3]], r"at least one of two classes or more\. Received: none"),
        ({}, [[0, 4]], r"classes from 0 to 3\. Received: 4 to 4"),
        ({}, [[-1, 2]], r"classes from 0 to 3\. Received: -1 to -1"),
    ],
)
@pytest.mark.parametrize("model_class", MODELS)
def test_errors(model_class, arguments, sequences, message):
    with pytest.raises(ValueError, match=message):
        model_class(**{"class_count": 4, **arguments}).fit(sequences)
