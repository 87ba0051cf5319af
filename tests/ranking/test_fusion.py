"""Fused scores: hand-made sums of z-scores."""

import numpy as np
import pytest

from keras_qa.ranking.fusion import fuse_scores
from keras_qa.text.readable import UNREAD_SCORE

pytestmark = pytest.mark.once
FIRST = [np.array([1.0, 2.0, 3.0]), np.array([5.0])]
SECOND = [np.array([0.2, 0.2, 0.8]), np.array([-1.0])]


def test_sums_of_z_scores():
    deviation = np.sqrt(2 / 3)
    z = np.array([-1, 0, 1]) / deviation
    # Mean 0.4, deviation sqrt((.04 + .04 + .16) / 3).
    other = np.array([-0.2, -0.2, 0.4]) / np.sqrt(0.08)
    fused = fuse_scores([FIRST, SECOND])
    np.testing.assert_allclose(fused[0], z + other)
    assert fused[1].tolist() == [0.0]
    fused = fuse_scores([FIRST, SECOND], [2.0, 0.5])
    np.testing.assert_allclose(fused[0], 2 * z + other / 2)


def test_neither_scale_nor_shift_counts():
    scaled = [100 * scores - 7 for scores in FIRST]
    np.testing.assert_allclose(
        fuse_scores([scaled, SECOND])[0], fuse_scores([FIRST, SECOND])[0]
    )


@pytest.mark.parametrize(
    ("rankings", "weights", "message"),
    [
        ([], None, "`rankings` must be .*Received: 0 rankings"),
        ([FIRST, SECOND[:1]], None, r"2 rankings, of \[1, 2\] questions"),
        ([[np.array([1, np.nan])]], None, "`rankings` must be finite"),
        ([FIRST, FIRST], [1.0], "`weights` must be one for each of 2 rank"),
        ([FIRST, FIRST], [1.0, float("nan")], "rankings, and finite"),
    ],
)
def test_errors(rankings, weights, message):
    with pytest.raises(ValueError, match=message):
        fuse_scores(rankings, weights)


def test_what_a_ranker_does_not_read_is_last_and_moves_no_other():
    read = fuse_scores([FIRST])[0]
    scores = np.array([1.0, UNREAD_SCORE, 2.0, 3.0])
    fused = fuse_scores([[scores]])[0]
    np.testing.assert_allclose(fused, np.insert(read, 1, read.min() - 1))
    fused = fuse_scores([[np.array([UNREAD_SCORE, 4.0, 4.0])]])[0]
    assert fused.tolist() == [-1, 0, 0]
    assert fuse_scores([[np.full(2, UNREAD_SCORE)]])[0].tolist() == [0, 0]
