"""The models of the papers, one file each."""

from keras_qa.models.hyperqa import CosineQA
from keras_qa.models.hyperqa import HyperQA

__all__ = ["CosineQA", "HyperQA"]
