"""Lengths of vectors by pencil, and what tells that frequency weighs them."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from keras_qa.datasets import open_dataset
from keras_qa.datasets.corpus import Corpus
from keras_qa.embeddings import WordScaling
from keras_qa.embeddings import embedding_matrix
from keras_qa.embeddings import load_vectors
from keras_qa.embeddings import rare_length_ratio
from keras_qa.embeddings.scaling import NORMS

# Lengths 5, 0.1, 0 and 10; the last is a random one.
ROWS = np.array([[3, 4], [0, 0.1], [0, 0], [6, 8]], np.float32)
KNOWN = np.array([True, True, True, False])


def keyed(rows):
    vectors = KeyedVectors(len(next(iter(rows.values()))))
    vectors.add_vectors(list(rows), np.array(list(rows.values()), np.float32))
    return vectors


def test_raw_changes_nothing():
    assert WordScaling()(ROWS, KNOWN) is ROWS


def test_unit():
    scaled = WordScaling("unit", 2.0)(ROWS, KNOWN)
    assert scaled.dtype == np.float32
    expected = [[1.2, 1.6], [0, 2], [0, 0], [1.2, 1.6]]
    np.testing.assert_allclose(scaled, expected, rtol=1e-6)


def test_power_keeps_the_order_of_lengths():
    rows = np.array([[3, 4], [0, 80], [0, 0], [6, 8]], np.float32)
    # Lengths of the known words are raised to 5^.5 and 80^.5, that is one to
    # four, and then have the mean 3: 1.2 and 4.8.
    scaled = WordScaling("power", 3.0, 0.5)(rows, KNOWN)
    expected = [[0.72, 0.96], [0, 4.8], [0, 0], [1.8, 2.4]]
    np.testing.assert_allclose(scaled, expected, rtol=1e-6)
    # Powers 0 and 1.
    np.testing.assert_allclose(
        WordScaling("power", 3.0, 0.0)(rows, KNOWN),
        WordScaling("unit", 3.0)(rows, KNOWN),
    )
    lengths = np.linalg.norm(
        WordScaling("power", 3.0, 1.0)(rows, KNOWN), axis=1
    )
    np.testing.assert_allclose(lengths, [6 / 17, 96 / 17, 0, 3], rtol=1e-6)


@pytest.mark.parametrize("norm", NORMS)
def test_extreme_and_missing_vectors_stay_finite(norm):
    rows = np.array([[1e-30, 0], [1e30, 1e30], [0, 0]], np.float32)
    for known in (np.array([True, True, True]), np.zeros(3, bool)):
        assert np.isfinite(WordScaling(norm)(rows, known)).all()
    assert WordScaling(norm)(rows[:0], known[:0]).shape == (0, 2)


def test_each_block_of_a_matrix_is_scaled_alone():
    words = ["", "[UNK]", "cat", "dog"]
    sets = [
        keyed({"cat": [3.0, 4.0], "dog": [0.0, 80.0]}),
        keyed({"cat": [0.0, 0.0, 5.0]}),
    ]
    plain, coverage = embedding_matrix(words, sets, seed=1)
    scaling = WordScaling("power", 3.0)
    matrix, same = embedding_matrix(words, sets, seed=1, scaling=scaling)
    assert same == coverage
    assert matrix.dtype == np.float32
    assert not matrix[0].any()
    np.testing.assert_allclose(matrix[2], [0.72, 0.96, 0, 0, 3], rtol=1e-6)
    np.testing.assert_allclose(matrix[3, :2], [0, 4.8], rtol=1e-6)
    # Random rows keep their direction.
    for row, columns in ((1, slice(2)), (1, slice(2, 5)), (3, slice(2, 5))):
        random = plain[row, columns]
        expected = 3 * random / np.linalg.norm(random)
        np.testing.assert_allclose(matrix[row, columns], expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"norm": "l2"}, r"`norm` must be one of .*Received: norm='l2'"),
        ({"length": 0}, r"`length` must be positive.*Received: length=0"),
        ({"power": -1}, r"`power` must be .*not negative.*: power=-1"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        WordScaling(**arguments)


def test_ratio_of_lengths_by_pencil():
    # a and b are 12 of 15 running words, of the mean length (9·1 + 3·5) / 12
    # = 2; that of the others is (12 + 20) / 2.
    vectors = keyed({"a": [1, 0], "b": [3, 4], "c": [0, 12], "d": [12, 16]})
    counts = {"c": 2, "a": 9, "unknown": 50, "b": 3, "d": 1}
    for share in (0.61, 0.8):
        found = rare_length_ratio(vectors, counts, share)
        assert found == pytest.approx(8)
    assert rare_length_ratio(vectors, counts) == pytest.approx(37 / 3)
    assert rare_length_ratio(vectors, counts, share=1) == 1
    assert rare_length_ratio(vectors, {}) == 1
    zero = keyed({"a": [0.0], "b": [1.0]})
    assert rare_length_ratio(zero, {"a": 2, "b": 1}) > 1e6


@pytest.mark.parametrize(
    ("name", "weighted"),
    [
        ("minilm-static-300d.bin", True),
        ("glove.6B.100d.bin", False),
        ("skipgram-100d.bin", False),
    ],
)
def test_of_the_real_vectors_one_is_weighted(real_data, name, weighted):
    dataset = open_dataset("wikiqa", real_data / "WikiQA")
    counts = Corpus(dataset.questions("dev")).word_counts()
    vectors = load_vectors(real_data / "embeddings" / name, list(counts))
    assert (rare_length_ratio(vectors, counts) > 10) == weighted
