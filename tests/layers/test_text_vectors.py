"""TextVectors: the layer contract, and the vectors it finds."""

import numpy as np
import pytest
from keras import ops

from keras_qa.layers import TextVectors
from keras_qa.text.vector_texts import VectorTexts
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

RNG = np.random.default_rng(0)
TEXTS = [RNG.normal(size=(n, 2)).astype("float32") for n in (3, 0, 2, 4)]
VECTORS = VectorTexts.from_arrays(TEXTS, 2)
ROWS = np.array([[2], [0], [1]], dtype="int32")


def _ids(length):
    return np.ones((3, length), dtype="int32")


def _expected(length):
    return VECTORS.padded(ROWS[:, 0], length)


def test_layer_contract():
    inputs = [ROWS, _ids(5)]
    found = check_layer(
        TextVectors, {"vectors": VECTORS}, inputs, (3, 5, 2), 0, 2
    )
    np.testing.assert_array_equal(found, _expected(5))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", [1, 3, 7])
def test_cut_or_filled_up_to_the_length_of_the_text(length, mode):
    layer = TextVectors(VECTORS)
    found = run(lambda r, i: layer([r, i]), ROWS, _ids(length), mode=mode)
    np.testing.assert_array_equal(found, _expected(length))


def test_a_shape_stands_for_texts_without_words():
    layer = TextVectors((3, 8, 2))
    found = ops.convert_to_numpy(layer([ROWS, _ids(4)]))
    np.testing.assert_array_equal(found, np.zeros((3, 4, 2)))


@pytest.mark.parametrize(
    ("vectors", "received"),
    [((4, 3), r"\(4, 3\)"), (np.zeros((4, 3, 2)), r"shape=\(4, 3, 2\)")],
)
def test_rejects_what_is_neither_texts_nor_a_shape(vectors, received):
    with pytest.raises(ValueError, match=f"`vectors` must .*ved: {received}"):
        TextVectors(vectors)
