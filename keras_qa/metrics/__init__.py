"""Ranking measures as metrics of Keras."""

from keras_qa.metrics.ranking import NDCG
from keras_qa.metrics.ranking import MeanAveragePrecision
from keras_qa.metrics.ranking import MeanReciprocalRank
from keras_qa.metrics.ranking import PrecisionAt
from keras_qa.metrics.ranking import RecallAt

__all__ = [
    "NDCG",
    "MeanAveragePrecision",
    "MeanReciprocalRank",
    "PrecisionAt",
    "RecallAt",
]
