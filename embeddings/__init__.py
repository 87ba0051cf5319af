"""Word vectors: loaders, a skip-gram trainer, encoders, matrices."""

from embeddings.bert_vectors import bert_text_vectors
from embeddings.bert_vectors import bert_word_vectors
from embeddings.components import PrincipalComponents
from embeddings.encoders import BertEncoder
from embeddings.encoders import ElmoEncoder
from embeddings.encoders import StaticEncoder
from embeddings.encoders import find_encoder
from embeddings.ensemble import MultiResolution
from embeddings.files import VectorsError
from embeddings.files import VectorsWarning
from embeddings.idf import InverseDocumentFrequency
from embeddings.layer_mixture import Mixture
from embeddings.loaders import detect_format
from embeddings.loaders import load_fasttext
from embeddings.loaders import load_glove
from embeddings.loaders import load_vectors
from embeddings.loaders import load_word2vec_binary
from embeddings.loaders import load_word2vec_text
from embeddings.matrix import Coverage
from embeddings.matrix import Share
from embeddings.matrix import embedding_matrix
from embeddings.mixture import f_ensemble
from embeddings.mixture import f_mixture
from embeddings.published_mixtures import multi_resolution
from embeddings.published_mixtures import published_mixture
from embeddings.skipgram import train_skipgram

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
    "bert_text_vectors",
    "bert_word_vectors",
    "detect_format",
    "embedding_matrix",
    "f_ensemble",
    "f_mixture",
    "find_encoder",
    "load_fasttext",
    "load_glove",
    "load_vectors",
    "load_word2vec_binary",
    "load_word2vec_text",
    "multi_resolution",
    "published_mixture",
    "train_skipgram",
]
