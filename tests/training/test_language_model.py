"""Classes, batches, perplexity and n-grams of sentences."""

import keras
import numpy as np
import pytest

from keras_qa.models import BidirectionalLanguageModel
from keras_qa.text.ngrams import UnigramModel
from keras_qa.text.packing import RaggedTexts
from keras_qa.training.language_model import LanguageModelBatches
from keras_qa.training.language_model import class_sequences
from keras_qa.training.language_model import output_classes
from keras_qa.training.language_model import perplexity
from support.numbered_texts import numbered_texts

VOCABULARY = 7
TEXTS = RaggedTexts.from_sequences(
    [[3, 5, 3], [], [2, 5], [3, 1, 1, 1, 4, 2], [5]]
)


def _model():
    keras.utils.set_random_seed(0)
    return BidirectionalLanguageModel(
        VOCABULARY,
        3,
        2,
        1,
        classes=output_classes(TEXTS, VOCABULARY),
        initializer_range=1.0,
    )


def test_frequent_words_have_a_class_of_their_own():
    # Words 3 and 5 occur three times, 2 twice, 4 once and 6 never.
    for settings, expected in (
        ({}, [0, 0, 3, 1, 0, 2, 0, 4]),
        ({"min_count": 1}, [0, 0, 3, 1, 4, 2, 0, 5]),
        ({"min_count": 3}, [0, 0, 0, 1, 0, 2, 0, 3]),
        ({"max_classes": 4}, [0, 0, 0, 1, 0, 2, 0, 3]),
        ({"max_classes": 99}, [0, 0, 3, 1, 0, 2, 0, 4]),
    ):
        found = output_classes(TEXTS, VOCABULARY, **settings)
        assert found.dtype == np.int32
        assert found.tolist() == expected, settings


def _epoch(batches, epoch):
    batches.start_epoch(epoch)
    return [batches[i][0] for i in range(len(batches))]


def test_an_epoch_holds_every_sentence_once_among_its_like():
    texts = RaggedTexts.from_sequences([*numbered_texts(50, 30, 9), []])
    batches = LanguageModelBatches(texts, 8, seed=3)
    ids = _epoch(batches, 1)
    assert sorted(map(len, ids)) == [2] + [8] * 6
    firsts = np.concatenate([batch[:, 0] for batch in ids]).tolist()
    assert sorted(firsts) == list(range(2, 52))
    assert sum(batch.size for batch in ids) < 1.5 * len(texts.ids)
    by_chance = _epoch(LanguageModelBatches(texts, 8, seed=3, window=1), 1)
    assert sum(map(np.size, by_chance)) > 1.5 * len(texts.ids)
    for batch in ids:
        for row in batch:
            np.testing.assert_array_equal(row[row > 0], texts[row[0] - 2])
    again, other = (
        [batch[:, 0].tolist() for batch in _epoch(b, epoch)]
        for b, epoch in (
            (LanguageModelBatches(texts, 8, seed=3), 1),
            (batches, 2),
        )
    )
    assert again == [batch[:, 0].tolist() for batch in ids] != other


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.compiled
def test_fits_and_perplexity_counts_every_word_alike():
    model = _model()
    found = perplexity(model, TEXTS, batch_size=2)
    losses = [
        model.predict_on_batch(TEXTS.padded(np.array([i]), 6)).sum((0, 1))
        for i in range(len(TEXTS))
    ]
    expected = np.exp(np.sum(losses, axis=0, dtype=float) / len(TEXTS.ids))
    assert list(found) == ["forward", "backward"]
    np.testing.assert_allclose(list(found.values()), expected, rtol=1e-5)
    model.compile(keras.optimizers.Adam(0.1))
    batches = LanguageModelBatches(TEXTS, batch_size=8)
    model.fit(batches, **batches.fit_arguments(epochs=8, verbose=0))
    better = perplexity(model, TEXTS)
    assert all(better[name] < found[name] for name in found)


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_ngrams_predict_what_the_model_predicts(direction):
    model = _model()
    sequences = list(class_sequences(model, TEXTS, direction))
    assert len(sequences) == len(TEXTS)
    forward = [1, 2, 1, 4] if direction == "forward" else [4, 1, 2, 1]
    assert sequences[0].tolist() == forward
    assert sequences[1].tolist() == [4]
    # With no weight but the biases the model is a unigram model.
    unigrams = UnigramModel(model.class_count).fit(sequences)
    for weight in model.prediction.trainable_weights:
        bias = np.log(unigrams.probabilities)
        weight.assign(bias if len(weight.shape) == 1 else weight * 0)
    assert perplexity(model, TEXTS)[direction] == pytest.approx(
        unigrams.perplexity(sequences), rel=1e-5
    )


@pytest.mark.once
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: LanguageModelBatches(TEXTS, 2, window=0),
            r"`window` must be a positive.*window=0",
        ),
        (
            lambda: LanguageModelBatches(TEXTS.take(np.array([1])), 2),
            r"`texts` must hold .*Received: 1 texts without words",
        ),
        (
            lambda: list(class_sequences(None, TEXTS, "both")),
            r"`direction` must be one of .*direction='both'",
        ),
        (
            lambda: output_classes(TEXTS, VOCABULARY, max_classes=2),
            r"`max_classes` must be at least 3.*max_classes=2",
        ),
        (
            lambda: output_classes(TEXTS, VOCABULARY, min_count=0),
            r"`min_count` must be a positive.*min_count=0",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
