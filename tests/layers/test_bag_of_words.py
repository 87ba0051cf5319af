"""BagOfWords: the layer contract, eq. 2 in NumPy, and the packed sum."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_qa.layers import BagOfWords
from keras_qa.layers.bag_of_words import packed_sum
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.packing import pack
from support.layer_checks import check_layer
from support.layer_checks import gradients


def _words(*shape):
    return np.random.default_rng(0).normal(size=shape).astype("float32")


@pytest.mark.parametrize("pooling", ["sum", "mean"])
def test_layer_contract(pooling):
    output = check_layer(
        BagOfWords, {"pooling": pooling}, _words(3, 4, 2), (3, 2)
    )
    np.testing.assert_allclose(
        output, getattr(np, pooling)(_words(3, 4, 2), axis=1), rtol=1e-5
    )


@pytest.mark.parametrize("pooling", ["sum", "mean"])
def test_masked_positions_do_not_count(pooling):
    words = _words(3, 4, 2)
    mask = np.array(
        [[True, True, False, True], [False] * 4, [True, False, False, False]]
    )
    output = ops.convert_to_numpy(BagOfWords(pooling)(words, mask=mask))
    pool = getattr(np, pooling)
    np.testing.assert_allclose(output[0], pool(words[0, [0, 1, 3]], 0), 1e-5)
    np.testing.assert_array_equal(output[1], 0)
    np.testing.assert_allclose(output[2], words[2, 0], 1e-6)


def test_takes_the_mask_of_an_embedding():
    embedding = keras.layers.Embedding(9, 2, mask_zero=True)
    short = BagOfWords()(embedding(np.array([[3, 4]])))
    long = BagOfWords()(embedding(np.array([[3, 4, 0, 0]])))
    np.testing.assert_allclose(
        ops.convert_to_numpy(short), ops.convert_to_numpy(long), rtol=1e-6
    )


def test_sums_half_precision_in_float32():
    # In float16, 2048 + 1 is 2048.
    words = ops.ones((1, 4096, 1), dtype="float16")
    output = BagOfWords(dtype="float16")(words)
    assert float(ops.cast(output, "float32")[0, 0]) == 4096


@pytest.mark.once
def test_rejects_an_unknown_pooling():
    with pytest.raises(ValueError, match=r"`pooling`.*Received: pooling='max'"):
        BagOfWords("max")


@pytest.mark.parametrize("round_up", [False, True])
@pytest.mark.parametrize("pooling", ["sum", "mean"])
def test_packed_texts_are_pooled_like_padded_ones(pooling, round_up):
    texts = RaggedTexts.from_sequences([[5, 2, 5], [], [2], [7, 5]])
    question, answers = np.array([0, 3]), np.array([[1, 2], [3, 0]])
    batch = pack(texts, question, answers, round_up)
    vectors = _words(8, 3)
    pooled = ops.convert_to_numpy(
        BagOfWords(pooling).pool_packed(
            ops.convert_to_tensor(vectors[batch["words"]]), batch
        )
    )
    for rows, indices in [
        (batch["question"], question),
        (batch["answers"], answers),
    ]:
        for row, index in zip(rows.ravel(), indices.ravel(), strict=True):
            expected = vectors[texts[index]].sum(0)
            if pooling == "mean":
                expected /= max(1, len(texts[index]))
            np.testing.assert_allclose(pooled[row], expected, atol=1e-6)


def test_gradient_of_the_packed_sum_collects_all_occurrences():
    texts = RaggedTexts.from_sequences([[5, 2, 5], [2, 9]])
    batch = pack(texts, np.array([0]), np.array([[1]]))
    weight = np.zeros((3, 1), "float32")  # two texts and the padding row
    weight[batch["question"][0]] = 10
    weight[batch["answers"][0, 0]] = 1
    words = _words(len(batch["words"]), 1)
    weight = ops.convert_to_tensor(weight)
    (gradient,) = gradients(lambda x: packed_sum(x, batch) * weight, words)
    by_word = dict(zip(batch["words"], gradient[:, 0], strict=True))
    assert by_word == {5: 20, 2: 11, 9: 1, 0: 0}
