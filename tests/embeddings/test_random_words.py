"""Random vectors of words: their size, and what they depend on."""

import numpy as np
import pytest

from keras_qa.embeddings import random_vectors


def test_numbers_are_normal_and_words_are_nearly_orthogonal():
    words = [f"w{i}" for i in range(1000)]
    vectors = random_vectors(words, 50, seed=3)
    rows = vectors[words]
    assert (rows.dtype, rows.shape) == (np.float32, (1000, 50))
    # 50,000 draws of variance 1/50, five standard errors.
    assert abs(rows.mean()) < 5 * 50**-0.5 / 50_000**0.5
    assert abs((rows**2).sum(axis=1).mean() - 1) < 5 * (2 / 50_000) ** 0.5
    cosines = (rows @ rows.T)[np.triu_indices(1000, 1)]
    assert abs(cosines.std() - 50**-0.5) < 0.002


def test_a_vector_depends_on_seed_and_word_alone():
    first = random_vectors(["a", "b", "a"], 4, seed=1)
    assert first.index_to_key == ["a", "b"]
    other = random_vectors(["ü", "b"], 4, seed=1)
    np.testing.assert_array_equal(first["b"], other["b"])
    assert (random_vectors(["b"], 4, seed=2)["b"] != first["b"]).all()
    assert (first["a"] != first["b"]).all()


def test_vectors_are_the_same_in_every_process():
    found = random_vectors(["ünknown"], 2, seed=7)["ünknown"]
    np.testing.assert_allclose(found, [-0.35826176, 0.51689696], rtol=1e-6)


def test_errors():
    with pytest.raises(ValueError, match=r"`words` must not be empty.*0 words"):
        random_vectors([])
    with pytest.raises(ValueError, match=r"`words` must hold .*the string 'a'"):
        random_vectors("a")
    with pytest.raises(ValueError, match=r"`dim` must be a positive.*dim=0"):
        random_vectors(["a"], 0)
