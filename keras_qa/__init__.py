"""keras_qa: neural question-answer ranking in Keras 3."""

from keras_qa.version import __version__

__all__ = ["__version__"]
