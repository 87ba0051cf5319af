"""What losses refuse or ignore, and the dtypes of triplet losses."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.losses.distillation import DistillationKL
from keras_qa.losses.distillation import MarginMSE
from keras_qa.losses.in_batch import InBatchSoftmax
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.losses.triplet import MINING
from keras_qa.losses.triplet import EmbeddingTripletLoss
from keras_qa.losses.triplet import TripletLoss


@pytest.mark.parametrize(
    "loss",
    [
        *(PairwiseHinge(), ListwiseSoftmax(), MarginMSE(), DistillationKL()),
        *(TripletLoss(), InBatchSoftmax()),
    ],
)
def test_scores_of_single_pairs(loss):
    scores = np.ones((3, 1), np.float32)
    with pytest.raises(ValueError, match=r"in each row.*shape=\(3, 1\)"):
        loss(scores, scores)


def test_one_question_may_be_left_over():
    """A last batch of one question with one answer has no wrong one."""
    for loss in (TripletLoss(), InBatchSoftmax()):
        assert float(loss(np.ones((1, 1)), np.zeros((1, 1)))) == 0


@pytest.mark.once
@pytest.mark.parametrize(
    "kind",
    [
        *(PairwiseHinge, ListwiseSoftmax, MarginMSE, DistillationKL),
        *(TripletLoss, InBatchSoftmax, EmbeddingTripletLoss),
    ],
)
def test_the_dtype_is_kept(kind):
    config = keras.saving.serialize_keras_object(kind(dtype="float64"))
    assert keras.saving.deserialize_keras_object(config).dtype == "float64"


@pytest.mark.parametrize(
    "loss", [TripletLoss(), InBatchSoftmax(), EmbeddingTripletLoss()]
)
def test_weights_of_rows(loss):
    labels = np.eye(3, dtype=np.float32)
    with pytest.raises(ValueError, match=r"class_weight.*one value for a ba"):
        loss(labels, labels, sample_weight=np.ones(3))


class _Masked(keras.layers.Layer):
    """Returns its inputs with a mask of their first axes."""

    def __init__(self, axes):
        super().__init__()
        self.axes = axes

    def compute_mask(self, inputs, previous_mask=None):
        mask = np.ones(ops.shape(inputs)[: self.axes], "bool")
        mask[..., -1] = False
        return ops.convert_to_tensor(mask)

    def call(self, inputs):
        return 1 * inputs


@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize(
    "loss",
    [
        *(PairwiseHinge(), ListwiseSoftmax(), MarginMSE(), DistillationKL()),
        *(TripletLoss(), InBatchSoftmax()),
    ],
)
def test_masks_change_nothing(loss, axes):
    labels = np.eye(3, dtype=np.float32)
    scores = np.arange(9, dtype=np.float32).reshape(3, 3)
    masked = _Masked(axes)(scores)
    assert float(loss(labels, masked)) == float(loss(labels, scores)) > 0


@pytest.mark.once
@pytest.mark.parametrize("mining", MINING)
@pytest.mark.parametrize("kind", [TripletLoss, EmbeddingTripletLoss])
def test_other_dtypes(kind, mining):
    labels = [0, 1, 1] if kind is EmbeddingTripletLoss else np.eye(3)
    values = np.arange(9.0).reshape(3, 3)
    expected = float(kind(mining=mining)(labels, values))
    for dtype in ("float64", "float16"):
        found = kind(mining=mining, dtype=dtype)(labels, values)
        assert keras.backend.standardize_dtype(found.dtype) == dtype
        assert float(found) == pytest.approx(expected, rel=1e-3)
