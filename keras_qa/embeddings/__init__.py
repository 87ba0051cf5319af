"""Word vectors: loaders, skip-gram training, encoders, embedding matrices."""

from keras_qa.embeddings.bert.vectors import bert_text_vectors
from keras_qa.embeddings.bert.vectors import bert_word_vectors
from keras_qa.embeddings.components import PrincipalComponents
from keras_qa.embeddings.idf import InverseDocumentFrequency
from keras_qa.embeddings.idf import idf_weights
from keras_qa.embeddings.loaders import detect_format
from keras_qa.embeddings.loaders import load_fasttext
from keras_qa.embeddings.loaders import load_glove
from keras_qa.embeddings.loaders import load_vectors
from keras_qa.embeddings.loaders import load_word2vec_binary
from keras_qa.embeddings.loaders import load_word2vec_text
from keras_qa.embeddings.matrix import Coverage
from keras_qa.embeddings.matrix import Share
from keras_qa.embeddings.matrix import embedding_matrix
from keras_qa.embeddings.mixtures.combinations import f_ensemble
from keras_qa.embeddings.mixtures.combinations import f_mixture
from keras_qa.embeddings.mixtures.encoders import BertEncoder
from keras_qa.embeddings.mixtures.encoders import ElmoEncoder
from keras_qa.embeddings.mixtures.encoders import StaticEncoder
from keras_qa.embeddings.mixtures.encoders import find_encoder
from keras_qa.embeddings.mixtures.layer_mixture import Mixture
from keras_qa.embeddings.mixtures.multi_resolution import MultiResolution
from keras_qa.embeddings.mixtures.published import multi_resolution
from keras_qa.embeddings.mixtures.published import published_mixture
from keras_qa.embeddings.random_words import random_vectors
from keras_qa.embeddings.scaling import WordScaling
from keras_qa.embeddings.scaling import rare_length_ratio
from keras_qa.embeddings.skipgram import train_skipgram
from keras_qa.errors import VectorsError
from keras_qa.errors import VectorsWarning

__all__ = [
    "BertEncoder",
    "Coverage",
    "ElmoEncoder",
    "InverseDocumentFrequency",
    "Mixture",
    "MultiResolution",
    "PrincipalComponents",
    "Share",
    "StaticEncoder",
    "VectorsError",
    "VectorsWarning",
    "WordScaling",
    "bert_text_vectors",
    "bert_word_vectors",
    "detect_format",
    "embedding_matrix",
    "f_ensemble",
    "f_mixture",
    "find_encoder",
    "idf_weights",
    "load_fasttext",
    "load_glove",
    "load_vectors",
    "load_word2vec_binary",
    "load_word2vec_text",
    "multi_resolution",
    "published_mixture",
    "random_vectors",
    "rare_length_ratio",
    "train_skipgram",
]
