"""Texts of vectors: padded like those of ids, and as float32."""

import numpy as np
import pytest

from keras_qa.text.packing import RaggedTexts
from keras_qa.text.vector_texts import VectorTexts

OFFSETS = np.array([0, 3, 3, 5])


def test_vectors_stand_where_the_ids_of_ragged_texts_stand():
    ids = np.array([5, 3, 8, 2, 9], np.int32)
    table = np.random.default_rng(0).normal(size=(10, 4)).astype(np.float16)
    table[0] = 0
    words = RaggedTexts(ids, OFFSETS)
    texts = VectorTexts(table[ids], OFFSETS)
    assert texts.lengths.tolist() == [3, 0, 2]
    np.testing.assert_array_equal(texts[2], table[[2, 9]])
    for indices in ([2, 1], [[0, 2], [1, 0]]):
        for size in ({}, {"width": 2}, {"width": 5, "rows": 3}):
            padded = texts.padded(np.array(indices), **size)
            assert padded.dtype == np.float32
            np.testing.assert_array_equal(
                padded, table[words.padded(np.array(indices), **size)]
            )


def test_offsets_must_divide_the_vectors():
    with pytest.raises(ValueError, match=r"rise from 0 to len\(vectors\) = 4"):
        VectorTexts(np.ones((4, 2)), OFFSETS)
