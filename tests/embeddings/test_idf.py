"""Weights of words by their idf."""

import math

import numpy as np
import pytest

from keras_qa.embeddings import idf_weights

TEXTS = [["a", "b", "a"], ["a"], []]


def test_weights_by_pencil():
    # Smooth idf of three documents: df is 2 of a, 1 of b and 0 of c.
    a, b, c = (math.log(4 / (1 + df)) + 1 for df in (2, 1, 0))
    # Running words: three times a, once b.
    mean = (3 * a + b) / 4
    np.testing.assert_allclose(
        idf_weights(["c", "b", "a"], TEXTS), np.array([c, b, a]) / mean
    )
    running = idf_weights([word for text in TEXTS for word in text], TEXTS)
    assert running.mean() == pytest.approx(1)


def test_errors():
    for texts in ([], ["ab"]):
        with pytest.raises(ValueError, match="`texts` must"):
            idf_weights(["a"], texts)
    with pytest.raises(ValueError, match=r"must contain words.*2 empty texts"):
        idf_weights(["a"], [[], []])
