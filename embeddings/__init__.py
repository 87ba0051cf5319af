"""Word vectors: loaders, a skip-gram trainer, a BERT, embedding matrices."""

from embeddings.bert_vectors import bert_text_vectors
from embeddings.bert_vectors import bert_word_vectors
from embeddings.components import PrincipalComponents
from embeddings.files import VectorsError
from embeddings.files import VectorsWarning
from embeddings.loaders import detect_format
from embeddings.loaders import load_fasttext
from embeddings.loaders import load_glove
from embeddings.loaders import load_vectors
from embeddings.loaders import load_word2vec_binary
from embeddings.loaders import load_word2vec_text
from embeddings.matrix import Coverage
from embeddings.matrix import Share
from embeddings.matrix import embedding_matrix
from embeddings.skipgram import train_skipgram

__all__ = [
    "Coverage",
    "PrincipalComponents",
    "Share",
    "VectorsError",
    "VectorsWarning",
    "bert_text_vectors",
    "bert_word_vectors",
    "detect_format",
    "embedding_matrix",
    "load_fasttext",
    "load_glove",
    "load_vectors",
    "load_word2vec_binary",
    "load_word2vec_text",
    "train_skipgram",
]
