"""What every model makes of texts and numbers that are out of the ordinary.

The same under each backend; docs/bad-input.md says it in a table.
"""

import keras
import numpy as np
import pytest

from keras_qa.ranking import padded
from keras_qa.ranking import scoring
from keras_qa.ranking.scoring import score_pairs
from keras_qa.text.packing import RaggedTexts
from support.all_models import SCORERS
from support.all_models import VOCABULARY_SIZE
from support.all_models import WORDLESS
from support.all_models import build
from support.all_models import inputs_for

pytestmark = pytest.mark.once

# In turn: no words on either side, on one, on the other; one word; a word that
# is not known; equal texts; the longest.
QUESTION = np.array(
    [
        *([0, 0, 0, 0], [0, 0, 0, 0], [5, 6, 0, 0], [7, 0, 0, 0]),
        *([1, 0, 0, 0], [3, 9, 4, 0], [8, 8, 8, 29]),
    ],
    "int32",
)
ANSWER = np.array(
    [
        *([0, 0, 0, 0], [5, 6, 0, 0], [0, 0, 0, 0], [7, 0, 0, 0]),
        *([2, 0, 0, 0], [3, 9, 4, 0], [9, 2, 3, 4]),
    ],
    "int32",
)
# The others take seconds for 10,000 pairs.
QUICK = (*("CosineQA", "HyperQA", "HyperQA by expmap", "LogCosineQA", "QACNN"),)
PLAIN = sorted(set(SCORERS) - {"MRNN of vectors"})
# Many steps of recurrences, which TensorFlow takes one by one.
LONG = {
    *("BiMPM", "IAM", "IAM with contextual vectors", "IARNN with Occam's loss"),
    *("IWAN", "JointBiLSTM", "MultihopSequentialLSTM", "SelfLSTM"),
}


def scores_of(model, question, answer):
    scores = model(inputs_for(model, question, answer), training=False)
    return keras.ops.convert_to_numpy(scores)[:, 0]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in LONG else [])
        for name in sorted(SCORERS)
    ],
)
def test_odd_texts_and_many_candidates(name, monkeypatch):
    # Recurrences over the padding of four words would take most of the time.
    for module in (padded, scoring):
        monkeypatch.setattr(module, "SHORTEST_WIDTH", QUESTION.shape[1])
    check(name, 10_000 if name in QUICK else 50)


@pytest.mark.large
@pytest.mark.parametrize("name", sorted(set(SCORERS) - set(QUICK)))
def test_ten_thousand_candidates(name):
    check(name, 10_000)


def check(name, count):
    model = build(name)
    # Each question with its own answer, and one question with every answer.
    chosen = np.concatenate([np.arange(len(ANSWER)), [5] * len(ANSWER)])
    scores = scores_of(model, QUESTION[chosen], np.tile(ANSWER, (2, 1)))
    assert np.isfinite(scores).all()
    # A candidate alone is scored as among others.
    np.testing.assert_allclose(
        scores_of(model, QUESTION[:1], ANSWER[:1]), scores[:1], atol=1e-5
    )
    if set(model.input) != {"question", "answer"} or name not in PLAIN:
        return
    # Many candidates of one question, of which many are equal, through what
    # the scripts and the commands score with.
    texts = RaggedTexts.from_sequences([*QUESTION, *ANSWER])
    answers = np.arange(count) % len(ANSWER)
    many = score_pairs(model, texts, np.full(count, 5), len(QUESTION) + answers)
    assert many.shape == (count,)
    alone = scores[len(ANSWER) :]
    np.testing.assert_allclose(many, alone[answers], atol=1e-5)
    for bad in (VOCABULARY_SIZE, 2**31 - 1, -1):
        ids = np.array([3, bad], "int32")
        texts = RaggedTexts(ids, np.array([0, 1, 2]))
        with pytest.raises(ValueError, match=rf"from 0 to 29.*: {bad}$"):
            score_pairs(model, texts, np.array([0]), np.array([1]))


@pytest.mark.parametrize("name", sorted(set(PLAIN) - {*WORDLESS}))
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_word_vectors_must_be_finite(name, number):
    vectors = np.zeros((VOCABULARY_SIZE, 6), "float32")
    vectors[7, 2] = number
    with pytest.raises(ValueError, match=r"must be finite.* in row 7"):
        build(name, embeddings=vectors)
