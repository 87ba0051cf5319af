"""Keras layers of the papers."""

from keras_qa.layers.bag_of_words import BagOfWords
from keras_qa.layers.ball_projection import BallProjection
from keras_qa.layers.cosine_similarity import CosineSimilarity
from keras_qa.layers.poincare_distance import PoincareDistance
from keras_qa.layers.word_projection import WordProjection

__all__ = [
    "BagOfWords",
    "BallProjection",
    "CosineSimilarity",
    "PoincareDistance",
    "WordProjection",
]
