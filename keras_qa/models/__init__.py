"""The models of the papers, one file each."""

from keras_qa.models.attentive_pooling import APCNN
from keras_qa.models.attentive_pooling import APBiLSTM
from keras_qa.models.hyperqa import CosineQA
from keras_qa.models.hyperqa import HyperQA

__all__ = ["APCNN", "APBiLSTM", "CosineQA", "HyperQA"]
