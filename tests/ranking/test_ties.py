"""Equal scores: in the given order for users, shuffled for measures."""

import numpy as np

from keras_qa.ranking.ties import best_first
from keras_qa.ranking.ties import shuffled_best_first

SCORES = np.float32([0.5, 2.0, 0.5, np.nan, 2.0, -1.0, 0.5])


def test_equal_scores_keep_their_order_and_nan_comes_last():
    order = [1, 4, 0, 2, 6, 5, 3]
    assert best_first(SCORES).tolist() == order
    assert best_first(SCORES, 3).tolist() == order[:3]
    assert best_first(SCORES, 9).tolist() == order
    assert best_first(np.zeros(0)).tolist() == []


def test_measures_see_equal_scores_in_any_order():
    scores = SCORES[[0, 1, 2, 4, 5, 6]]
    orders = set()
    for seed in range(200):
        rng = np.random.default_rng(seed)
        order, numbers = shuffled_best_first(scores, rng)
        assert sorted(numbers) == list(range(6))
        assert (np.diff(scores[order]) <= 0).all()
        # As trec_eval orders names that begin with these numbers.
        names = sorted(zip(scores, numbers, range(6), strict=True))[::-1]
        assert order.tolist() == [place for *_, place in names]
        orders.add(tuple(order))
    # Two at the front and three behind them.
    assert len(orders) == 2 * 6
