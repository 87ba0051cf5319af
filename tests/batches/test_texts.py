"""`model.fit` on strings."""

import keras
import numpy as np
import pytest

from keras_qa.batches.texts import TextBatches
from keras_qa.errors import RankerError
from keras_qa.models import CosineQA
from keras_qa.ranker import Ranker
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary

pytestmark = pytest.mark.once

QUESTIONS = ["who wrote emma", "who wrote emma", "where is paris"]
ANSWERS = ["jane austen", "in france", "in france"]


def make(**options):
    words = " ".join([*QUESTIONS, *ANSWERS]).split()
    reading = TextReading(Vocabulary(dict.fromkeys(words)))
    labels = [1, 0, 1]
    return reading, TextBatches(reading, QUESTIONS, ANSWERS, labels, **options)


def test_batches_are_what_the_reading_reads():
    reading, batches = make(batch_size=3, window=1)
    inputs, labels = batches[0]
    seen = {
        (*q[q > 0].tolist(), -1, *a[a > 0].tolist()): float(label[0])
        for q, a, label in zip(
            inputs["question"], inputs["answer"], labels, strict=True
        )
    }
    encode = reading.vocabulary.encode
    assert seen == {
        (*encode(q.split()), -1, *encode(a.split())): label
        for q, a, label in zip(QUESTIONS, ANSWERS, [1, 0, 1], strict=True)
    }


def test_fit_on_strings():
    reading, batches = make(batch_size=2)
    model = CosineQA(len(reading.vocabulary), 4, 4)
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile("adam", loss=loss, run_eagerly=True, jit_compile=False)
    history = model.fit(batches, epochs=2, verbose=0).history
    assert np.isfinite(history["loss"]).all()
    assert len(Ranker(model, reading).rank("who", ANSWERS)) == 3


def test_unequal_lengths():
    reading, _ = make()
    with pytest.raises(RankerError, match="must be equally many"):
        TextBatches(reading, ["who"], [], [])


@pytest.mark.parametrize(
    ("questions", "answers", "message"),
    [
        ("abc", ["x", "y", "z"], "`questions` must be a list of texts"),
        (["a", "b", "c"], "xyz", "`answers` must be a list of texts"),
        (["a", 1, "c"], ["x", "y", "z"], r"Received: questions\[1\]=1"),
    ],
)
def test_a_single_text_is_no_list(questions, answers, message):
    reading, _ = make()
    with pytest.raises(RankerError, match=message):
        TextBatches(reading, questions, answers, [1, 0, 1])
