"""Question-answer data sets: readers, corpora, mined candidates and audits."""

from keras_qa.batches.negatives import NegativeSampler
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Dataset
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.registry import open_dataset
from keras_qa.datasets.tabular import open_tabular
from keras_qa.errors import DatasetError
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.vocabulary import Vocabulary

__all__ = [
    "Candidate",
    "Corpus",
    "Dataset",
    "DatasetError",
    "NegativeSampler",
    "OverlapFeatures",
    "Question",
    "Vocabulary",
    "open_dataset",
    "open_tabular",
    "tokenize",
]
