"""Models, texts and reading settings with which exports are tested."""

from pathlib import Path

import keras
import numpy as np
import pytest

from keras_qa.layers import BagOfWords
from keras_qa.models import AttentiveCNN
from keras_qa.models import CosineQA
from keras_qa.models import HyperQA
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.reading import TextReading
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.text.vocabulary import pad

needs_tensorflow = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="a SavedModel is written with the TensorFlow backend",
)
ROOT = Path(__file__).parents[2]
VOCABULARY = Vocabulary([*(f"w{i}" for i in range(300)), "שלום", "漢字", "👩"])
WIDTH = {"question": 7, "answer": 12}


def _text(seed, length, words=VOCABULARY.words[2:]):
    return " ".join(np.random.default_rng(seed).choice(words, size=length))


# Pairs that a SavedModel could read differently than the kit does.
PAIRS = [
    ("W1 w2, W3?", "w4 w5 w6."),
    ("w1", "w1"),
    ("", ""),
    ("", "w7 w8"),
    ("w7 w8", ""),
    (" \t\u3000", "\0"),
    ("words never seen", "w9 w10"),
    ("w9 w10", "nor these"),
    ("words never seen", "none of these either"),
    ("Who is 👩\u200d🔬?", "👩 שלום, 漢字 w11 İΣ e\u0301"),
    (_text(1, 9), _text(2, 10_000)),
    (_text(3, 10_000), _text(4, 8)),
    ("w12 w13", _text(5, 10_000, ["these", "words", "are", "new", "W14"])),
    *((_text(seed, 7), _text(-seed % 97, 25)) for seed in range(20, 60)),
    ("What did W1, new to these words, see?", "These words: W1 w2, new, 漢字?"),
    ("漢字 new new W1?", "w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 w1 new 漢字 ?"),
]
QUESTIONS, ANSWERS = (list(side) for side in zip(*PAIRS, strict=True))
OVERLAP = OverlapFeatures.fit(map(tokenize, [*QUESTIONS, *ANSWERS]))


# Larger weights put the points of expmap near the boundary of the ball, where
# 1 - |y|² has few digits: at 0.2, changes of the weights in their last digit
# change scores by 6e-5; at 0.05, by 5e-7.
SCALES = {"expmap": 0.05}


def randomise(model, name=None):
    scale = SCALES.get(name, 0.5)
    rng = np.random.default_rng(0)
    for weight in model.trainable_weights:
        weight.assign(rng.normal(size=weight.shape) * scale)
    return model


def _plain_model():
    """A model without encoders, with fixed lengths and with state."""
    ids = {
        side: keras.Input((WIDTH[side],), dtype="int32", name=side)
        for side in ("question", "answer")
    }
    embed = keras.layers.Embedding(len(VOCABULARY), 8)
    pool = keras.layers.GlobalAveragePooling1D()
    norm = keras.layers.BatchNormalization()
    q, a = (norm(pool(embed(ids[side]))) for side in ids)
    a = keras.layers.Dropout(0.5)(a)
    score = keras.layers.Dense(1)(keras.layers.Multiply()([q, a]))
    return keras.Model(ids, score)


def with_overlap(length=None, features=4):
    """A model that scores two encodings and the features of overlap.

    Without a fixed length it has encoders, so that `rank` encodes the question
    once.
    """
    ids = {
        side: keras.Input((length and WIDTH[side],), dtype="int32", name=side)
        for side in ("question", "answer")
    }
    overlap = keras.Input((features,), name="overlap")
    embed = keras.layers.Embedding(len(VOCABULARY), 8, mask_zero=True)
    pool = BagOfWords("mean")
    one = keras.Input((None,), dtype="int32")
    encoder = keras.Model(one, pool(embed(one)))
    sides = {side: keras.Input((8,), name=side) for side in ids}
    scale = keras.layers.Normalization(mean=0.2, variance=0.1)
    joined = keras.layers.Concatenate()([*sides.values(), scale(overlap)])
    hidden = keras.layers.Dense(6, "tanh")(joined)
    score = keras.layers.Dense(1)(hidden)
    head = keras.Model({**sides, "overlap": overlap}, score)
    inputs = {**ids, "overlap": overlap}
    encoded = {side: encoder(ids[side]) for side in ids}
    model = keras.Model(inputs, head({**encoded, "overlap": overlap}))
    if length is None:
        model.question_encoder = model.answer_encoder = encoder
        model.head = head
    return model


MODELS = {
    "attentive": lambda: AttentiveCNN(len(VOCABULARY), 16, filters=12),
    "hyperqa": lambda: HyperQA(len(VOCABULARY), 16, 12),
    "expmap": lambda: HyperQA(
        len(VOCABULARY),
        16,
        12,
        projection="expmap",
        concatenate_embeddings=True,
    ),
    "cosineqa": lambda: CosineQA(len(VOCABULARY), 16, 12),
    "plain": _plain_model,
    "overlap": with_overlap,
    "overlap-fixed": lambda: with_overlap("fixed"),
}
PLAIN = TextReading(VOCABULARY)
READING = {
    "attentive": PLAIN,
    "hyperqa": PLAIN,
    "expmap": TextReading(VOCABULARY, "whitespace", max_answer_length=20),
    "cosineqa": TextReading(VOCABULARY, "word", 5, 9),
    "plain": PLAIN,
    "overlap": TextReading(VOCABULARY, max_answer_length=20, overlap=OVERLAP),
    "overlap-fixed": TextReading(VOCABULARY, "whitespace", overlap=OVERLAP),
}


def in_memory(model, questions, answers, reading=PLAIN):
    """Scores each pair alone, with the tokenizer and padding of training."""
    scores = []
    for pair in zip(questions, answers, strict=True):
        ids, read = {}, []
        for side, one in zip(("question", "answer"), pair, strict=True):
            tokens = tokenize(one, reading.tokenizer)
            known = VOCABULARY.encode(tokens)
            length = reading.max_length[side]
            ids[side] = pad([known], length)
            if model.input[side].shape[1]:
                length = WIDTH[side]
                ids[side] = np.resize(np.pad(known, (0, length)), (1, length))
            read.append(tokens[:length])
        if "overlap" in model.input:
            ids["overlap"] = reading.overlap.pair(*read)[np.newaxis]
        score = model(ids, training=False)
        scores.append(keras.ops.convert_to_numpy(score).item())
    texts = reading.texts("answer", answers)
    return reading.unread_last(np.array(scores), texts)


def assert_close(scores, expected):
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-5)
