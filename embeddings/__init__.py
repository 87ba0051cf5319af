"""Word vectors: gensim loaders, a skip-gram trainer, embedding matrices."""

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
    "Share",
    "VectorsError",
    "VectorsWarning",
    "detect_format",
    "embedding_matrix",
    "load_fasttext",
    "load_glove",
    "load_vectors",
    "load_word2vec_binary",
    "load_word2vec_text",
    "train_skipgram",
]
