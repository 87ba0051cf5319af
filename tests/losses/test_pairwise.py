"""The pairwise hinge, recomputed by loops."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.losses.pairwise import pairwise_hinge


def _by_loops(scores, margin):
    return [
        sum(max(0.0, margin - group[0] + negative) for negative in group[1:])
        for group in scores
    ]


def test_worked_number():
    loss = pairwise_hinge(None, np.array([[2.0, 1.5, -3.0]]))
    np.testing.assert_allclose(ops.convert_to_numpy(loss), [0.5])


@pytest.mark.parametrize("margin", [1, 5.0, 20])
def test_equals_equation_7_with_scores_as_distances(margin):
    scores = np.random.default_rng(0).normal(size=(6, 4)).astype("float32")
    found = ops.convert_to_numpy(pairwise_hinge(None, scores, margin))
    np.testing.assert_allclose(found, _by_loops(scores, margin), rtol=1e-5)
    printed = np.maximum(0, -scores[:, :1] + margin - -scores[:, 1:]).sum(1)
    np.testing.assert_allclose(found, printed, rtol=1e-5)


def test_reductions():
    scores = np.array([[0, 1], [0, 3]], dtype="float32")
    labels = np.array([[1, 0], [1, 0]], dtype="float32")
    assert float(PairwiseHinge(1.0)(labels, scores)) == 3
    assert float(PairwiseHinge(1.0, reduction="sum")(labels, scores)) == 6


def test_other_right_answers_and_fillers_are_no_negatives():
    """A list of two right answers, a wrong one and a filler."""
    labels = np.array([[1, 1, 0, -1]], dtype="float32")
    scores = np.array([[2.0, 1.9, 1.5, 50.0]], dtype="float32")
    assert float(PairwiseHinge(1.0)(labels, scores)) == 0.5


@pytest.mark.once
def test_config_round_trip():
    loss = PairwiseHinge(margin=5.0, reduction="sum")
    revived = keras.losses.deserialize(keras.losses.serialize(loss))
    assert revived.get_config() == loss.get_config()
    assert revived.margin == 5.0


@pytest.mark.parametrize("margin", [0, "a", None])
def test_rejects_a_margin_that_is_not_positive(margin):
    with pytest.raises(
        ValueError, match=f"`margin` .* Received: margin={margin!r}"
    ):
        PairwiseHinge(margin=margin)
