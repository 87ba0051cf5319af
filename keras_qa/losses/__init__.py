"""Losses of pairs, triplets, lists and batches, and of distillation."""

from keras_qa.losses.distillation import DistillationKL
from keras_qa.losses.distillation import MarginMSE
from keras_qa.losses.in_batch import InBatchSoftmax
from keras_qa.losses.listwise import ListwiseSoftmax
from keras_qa.losses.pairwise import PairwiseHinge
from keras_qa.losses.triplet import EmbeddingTripletLoss
from keras_qa.losses.triplet import TripletLoss

__all__ = [
    "DistillationKL",
    "EmbeddingTripletLoss",
    "InBatchSoftmax",
    "ListwiseSoftmax",
    "MarginMSE",
    "PairwiseHinge",
    "TripletLoss",
]
