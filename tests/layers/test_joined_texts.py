"""JoinedTexts: a question, a separator and an answer in one sequence."""

import numpy as np
import pytest

from keras_qa.layers import JoinedTexts
from support.layer_checks import MODES
from support.layer_checks import check_layer
from support.layer_checks import run

RNG = np.random.default_rng(0)
QUESTION = RNG.normal(size=(4, 3, 2)).astype("float32")
ANSWER = RNG.normal(size=(4, 5, 2)).astype("float32")
# Padding after the words, before and between them, and texts without words.
QUESTION_MASK = np.array([[1, 1, 1], [1, 0, 0], [0, 1, 0], [0] * 3], "bool")
ANSWER_MASK = np.array(
    [[1] * 5, [1, 1, 0, 0, 0], [1, 0, 0, 1, 0], [0] * 5], "bool"
)


# That of the check's own layer, which reads outputs as they are.
@pytest.mark.filterwarnings("ignore:Layer 'flatten")
def test_layer_contract():
    shape = (4, 3 + 1 + 5, 2)
    check_layer(JoinedTexts, {}, [QUESTION, ANSWER], shape, trainable_weights=1)


@pytest.mark.parametrize("mode", MODES)
def test_the_words_of_both_texts_around_the_separator(mode):
    layer = JoinedTexts()
    layer.build([QUESTION.shape, ANSWER.shape])
    layer.set_weights([np.array([7.0, 8.0])])

    def joined(question, answer, *masks):
        texts = [question, answer]
        return layer(texts, mask=[*masks]), layer.compute_mask(texts, [*masks])

    masks = QUESTION_MASK, ANSWER_MASK
    output, mask = run(joined, QUESTION, ANSWER, *masks, mode=mode)
    for row in range(4):
        expected = [
            *QUESTION[row, masks[0][row]],
            [7.0, 8.0],
            *ANSWER[row, masks[1][row]],
        ]
        np.testing.assert_array_equal(output[row, : len(expected)], expected)
        np.testing.assert_array_equal(mask[row], np.arange(9) < len(expected))


@pytest.mark.once
def test_vectors_of_two_sizes_are_refused():
    with pytest.raises(ValueError, match="dim"):
        JoinedTexts()([QUESTION, ANSWER[:, :, :1]])
