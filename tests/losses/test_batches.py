"""What losses refuse, which Keras would train on without a word."""

import numpy as np
import pytest

from keras_qa.losses.distillation import DistillationKL
from keras_qa.losses.distillation import MarginMSE
from keras_qa.losses.in_batch import InBatchSoftmax
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.losses.triplet import EmbeddingTripletLoss
from keras_qa.losses.triplet import TripletLoss


@pytest.mark.parametrize(
    "loss", [PairwiseHinge(), ListwiseSoftmax(), MarginMSE(), DistillationKL()]
)
def test_scores_of_single_pairs(loss):
    scores = np.ones((3, 1), np.float32)
    with pytest.raises(ValueError, match=r"in each row.*shape=\(3, 1\)"):
        loss(scores, scores)


@pytest.mark.parametrize(
    "loss", [TripletLoss(), InBatchSoftmax(), EmbeddingTripletLoss()]
)
def test_weights_of_rows(loss):
    labels = np.eye(3, dtype=np.float32)
    with pytest.raises(ValueError, match=r"class_weight.*one value for a ba"):
        loss(labels, labels, sample_weight=np.ones(3))
