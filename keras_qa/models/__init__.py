"""The models of the papers."""

from keras_qa.models.attentive_pooling import APCNN
from keras_qa.models.attentive_pooling import APBiLSTM
from keras_qa.models.ctrn import CTRN
from keras_qa.models.hyperqa import CosineQA
from keras_qa.models.hyperqa import HyperQA
from keras_qa.models.pointwise_baselines import CNNRanker
from keras_qa.models.pointwise_baselines import LSTMRanker
from keras_qa.models.pointwise_baselines import QRNNRanker

__all__ = [
    "APCNN",
    "CTRN",
    "APBiLSTM",
    "CNNRanker",
    "CosineQA",
    "HyperQA",
    "LSTMRanker",
    "QRNNRanker",
]
