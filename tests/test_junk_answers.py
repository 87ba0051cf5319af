"""No trained ranker prefers nothing, or a stop word, to a right answer."""

import warnings

import keras
import numpy as np
import pytest

from keras_qa import Corpus
from keras_qa import Ranker
from keras_qa import TextReading
from keras_qa import open_dataset
from keras_qa.errors import TextWarning
from keras_qa.text.notes import answer_notes
from keras_qa.text.readable import LONE_STOP_WORDS
from keras_qa.text.readable import UNREAD_SCORE
from support import all_models

LENGTH = 40
# They take other inputs than the ids of two texts.
OTHERS = (
    *("CTRN with overlap", "IAM with contextual vectors", "MRNN of vectors"),
    "SeverynMoschitti with overlap",
)
TAKEN = [name for name in all_models.SCORERS if name not in OTHERS]
SETTINGS = {"MRNN": {"max_document_length": LENGTH}}
JUNK = ["", " ", "qxzzyxq", "?", *sorted(LONE_STOP_WORDS)]


@pytest.fixture(scope="module")
def data():
    """200 dev questions of the bundled sample, and a corpus with train."""
    sample = open_dataset("sample")
    dev = [
        question
        for question in sample.questions("dev")
        if any(candidate.label for candidate in question.candidates)
    ][:200]
    train = sample.questions("train")
    return Corpus(train, dev), train, dev


def _trained(name, corpus, train, batches):
    """A small model of that kind, trained with labels for a few batches."""
    keras.utils.set_random_seed(0)
    size = len(corpus.vocabulary)
    model = all_models.build(name, size, 12, **SETTINGS.get(name, {}))
    if name in all_models.UNTRAINED:
        return model
    rng = np.random.default_rng(0)
    indexed = corpus.index(train)
    questions, answers = indexed.pairs()
    labels = np.concatenate(indexed.labels).astype("float32")
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile("adam", loss, run_eagerly=batches < 5)
    for _ in range(batches):
        rows = rng.integers(0, len(labels), 64)
        inputs = {
            "question": corpus.texts.padded(questions[rows], LENGTH),
            "answer": corpus.texts.padded(answers[rows], LENGTH),
        }
        model.train_on_batch(inputs, labels[rows][:, None])
    return model


def _check(model, corpus, dev, junk):
    reading = TextReading(corpus.vocabulary, corpus.tokenizer)
    reading = reading.cut_to({"question": LENGTH, "answer": LENGTH})
    ranker = Ranker(model, reading)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TextWarning)
        right = [
            (question.text, candidate.text)
            for question in dev
            for candidate in question.candidates
            if candidate.label
        ]
        right_scores = ranker.scores(*zip(*right, strict=True))
        junk_scores = ranker.scores(dev[0].text, junk)
    assert np.isfinite(right_scores).all()
    assert (junk_scores == np.float32(UNREAD_SCORE)).all()
    assert right_scores.min() > junk_scores.max()
    # Junk has the same score for each question.
    order = ranker.rank(right[0][0], ["the", right[0][1], ""])
    assert [place for place, _ in order] == [1, 0, 2]
    (note,) = answer_notes(ranker.reading, dev[0].text, [dev[0].text.upper()])
    assert note.repeats_question


@pytest.mark.once
def test_the_right_answer_is_above_junk(data):
    corpus, train, dev = data
    model = _trained("HyperQA", corpus, train[:50], 2)
    _check(model, corpus, dev[:40], JUNK[:20])


@pytest.mark.large
@pytest.mark.parametrize("name", TAKEN)
def test_the_right_answer_is_above_junk_for_every_kind(data, name):
    corpus, train, dev = data
    _check(_trained(name, corpus, train, 50), corpus, dev, JUNK)
