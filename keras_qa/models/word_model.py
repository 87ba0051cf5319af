"""What models of words have in common."""

import keras
import numpy as np

from keras_qa.layers.feature_standardization import FeatureStandardization
from keras_qa.models.building import count_parameters
from keras_qa.models.configured import ConfiguredModel


class WordModel(ConfiguredModel):
    """A configured model that looks up its words.

    Attributes:
        embedding: the word vectors.
    """

    embedding: keras.layers.Embedding

    @property
    def core_parameters(self) -> int:
        """Number of trainable parameters without the embedding."""
        return count_parameters(self, self.embedding)


class OverlapModel(WordModel):
    """A model of words that takes features of overlap, if it is told to.

    Attributes:
        overlap_normalization: the layer that standardises the features, or
            None.
    """

    overlap_normalization: FeatureStandardization | None

    def adapt_overlap(self, features: np.ndarray) -> None:
        """Sets mean and deviation of the overlap features.

        Args:
            features: float array `(pairs, overlap_features)`, the features of
                the training data.

        Raises:
            ValueError: if the model has no overlap features, or the array has
                another shape or values that are not finite.
        """
        if self.overlap_normalization is None:
            raise ValueError(
                "`overlap_features` must be positive, for the model to take "
                "features. Received: overlap_features=0"
            )
        self.overlap_normalization.adapt(features)
