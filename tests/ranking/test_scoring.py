"""Scores of many pairs are the scorer's own, in the order asked for."""

import keras
import numpy as np
import pytest

from keras_qa.layers import BagOfWords
from keras_qa.models import QACNN
from keras_qa.models import AttentiveCNN
from keras_qa.models import CNNRanker
from keras_qa.models import CosineQA
from keras_qa.models import HyperQA
from keras_qa.ranking import scoring
from keras_qa.ranking.scoring import score_pairs
from keras_qa.text.packing import RaggedTexts
from support.layer_checks import quick_call

pytestmark = pytest.mark.compiled
LENGTHS = (0, 1, 3, 20, 40, 300)


@pytest.fixture
def texts():
    rng = np.random.default_rng(0)
    return RaggedTexts.from_sequences([rng.integers(2, 50, n) for n in LENGTHS])


def pair_by_pair(scorer, texts, questions, answers):
    return [
        _together(scorer, texts, np.array([q]), np.array([a]))[0]
        for q, a in zip(questions, answers, strict=True)
    ]


@pytest.mark.parametrize(
    "kind", [HyperQA, pytest.param(CosineQA, marks=pytest.mark.once)]
)
def test_siamese(texts, kind):
    scorer = kind(50, 6, 5)
    questions = np.array([2, 1, 5, 2, 0])
    answers = np.array([3, 0, 4, 3, 5])
    scores = score_pairs(scorer, texts, questions, answers)
    assert scores.shape == (5,)
    expected = pair_by_pair(scorer, texts, questions, answers)
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    listed = score_pairs(scorer, texts, questions.tolist(), answers.tolist())
    np.testing.assert_array_equal(listed, scores)


def test_few_long_texts_are_packed_together(texts, monkeypatch):
    scorer = HyperQA(50, 6, 5)
    questions = np.array([2, 1, 5, 2, 0, 3])
    answers = np.array([3, 0, 4, 3, 5, 1])
    expected = score_pairs(scorer, texts, questions, answers)
    packed = []

    def noted(texts, questions, answers, round_up):
        packed.append(len(questions))
        return pack(texts, questions, answers, round_up)

    pack = scoring.pack
    monkeypatch.setattr(scoring, "pack", noted)
    monkeypatch.setattr(scoring, "PAIRS", 3)
    # Words of the pairs: 23, 1, 340, 23, 300, 21.
    monkeypatch.setattr(scoring, "WORDS", 50)
    scores = score_pairs(scorer, texts, questions, answers)
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    assert packed == [2, 1, 1, 1, 1]
    packed.clear()
    monkeypatch.setattr(scoring, "WORDS", 500)
    score_pairs(scorer, texts, questions, answers)
    assert packed == [3, 3]


def _together(scorer, texts, questions, answers, width=None):
    """Scores of all pairs, each encoded by itself, in one padded batch."""
    batch = {
        "question": texts.padded(questions),
        "answer": texts.padded(answers, width),
    }
    return keras.ops.convert_to_numpy(quick_call(scorer, batch))[:, 0]


@pytest.mark.parametrize(
    "kind", [pytest.param(QACNN, marks=pytest.mark.once), AttentiveCNN]
)
def test_each_distinct_text_is_encoded_once(texts, kind, monkeypatch):
    monkeypatch.setattr(scoring, "POSITIONS", 64)
    monkeypatch.setattr(scoring, "PAIRS", 16)
    monkeypatch.setattr(scoring, "NUMBERS", 16 * 40 * 7)
    scorer = kind(50, 4, filters=7, kernel_size=2)
    seen = {"question": [], "answer": []}
    if kind is AttentiveCNN:  # Else one encoder serves both sides.
        for side, ids in seen.items():
            encoder = getattr(scorer, f"{side}_encoder")
            _note_batches(encoder, ids, monkeypatch)
    rng = np.random.default_rng(3)
    questions, answers = rng.integers(0, 4, 90), rng.integers(0, 6, 90)
    scores = score_pairs(scorer, texts, questions, answers)
    expected = _together(scorer, texts, questions, answers)
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    assert len(np.unique(scores.round(4))) > 8
    if kind is AttentiveCNN:
        for side, count in (("question", 4), ("answer", 6)):
            assert len(seen[side]) > 1
            lengths = [(ids > 0).sum(1) for ids in seen[side]]
            real = np.concatenate([n[n > 0] for n in lengths])
            # One of the texts is empty, like the rows that fill up a batch.
            assert sorted(real) == list(LENGTHS[1:count])


def _note_batches(model, batches, monkeypatch):
    predict = model.predict_on_batch

    def predict_on_batch(ids):
        batches.append(ids)
        return predict(ids)

    monkeypatch.setattr(model, "predict_on_batch", predict_on_batch)


@pytest.mark.once
def test_encoded_texts_are_cut_to_a_width_that_the_scorer_fixes(texts):
    scorer = CNNRanker(50, 4, 4, 5, answer_length=30)
    questions, answers = np.array([2, 1, 3, 2]), np.array([5, 4, 5, 1])
    scores = score_pairs(scorer, texts, questions, answers)
    expected = _together(scorer, texts, questions, answers, 30)
    np.testing.assert_allclose(scores, expected, atol=1e-6)


@pytest.mark.once
def test_any_other_scorer(texts):
    question = keras.Input((None,), dtype="int32", name="question")
    answer = keras.Input((None,), dtype="int32", name="answer")
    embedding = keras.layers.Embedding(50, 4, mask_zero=True)
    pool = keras.layers.GlobalAveragePooling1D()
    product = keras.layers.Dot(-1)(
        [pool(embedding(question)), pool(embedding(answer))]
    )
    scorer = keras.Model({"question": question, "answer": answer}, product)
    questions = np.array([2, 1, 5, 2, 0])
    answers = np.array([3, 1, 4, 3, 5])
    scores = score_pairs(scorer, texts, questions, answers)
    expected = pair_by_pair(scorer, texts, questions, answers)
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def _seen_shapes(texts, width=None, pairs=700):
    """The shapes in which a scorer of any or of one width is given pairs."""
    question = keras.Input((width,), dtype="int32", name="question")
    answer = keras.Input((None,), dtype="int32", name="answer")
    count = keras.layers.Lambda(
        lambda ids: keras.ops.sum(ids, axis=1, keepdims=True)
    )
    scorer = keras.Model(
        {"question": question, "answer": answer},
        keras.layers.Add()([count(question), count(answer)]),
    )
    seen = []
    predict = scorer.predict_on_batch

    def predict_on_batch(batch):
        seen.append((batch["question"].shape, batch["answer"].shape))
        return predict(batch)

    scorer.predict_on_batch = predict_on_batch
    rng = np.random.default_rng(2)
    questions, answers = rng.integers(0, 4, pairs), rng.integers(0, 6, pairs)
    scores = score_pairs(scorer, texts, questions, answers)
    sums = np.array([text.sum() for text in texts])
    np.testing.assert_array_equal(scores, sums[questions] + sums[answers])
    return seen


def test_each_side_has_few_widths_and_little_padding(texts):
    seen = _seen_shapes(texts)
    # Questions of 16 or 32 columns, answers of 16, 32, 64 or 512.
    assert len({(q[1], a[1]) for q, a in seen}) == 2 * 4
    assert len(set(seen)) <= 2 * 8
    positions = sum(q[0] * q[1] + a[0] * a[1] for q, a in seen)
    real = 700 * np.mean(LENGTHS[:4]) + 700 * np.mean(LENGTHS)
    assert positions < 3 * real


@pytest.mark.once
def test_a_width_that_the_scorer_fixes_is_kept(texts):
    assert {q[1] for q, _ in _seen_shapes(texts, width=20)} == {20}


def _with_features():
    inputs = {
        "question": keras.Input((None,), dtype="int32", name="question"),
        "answer": keras.Input((None,), dtype="int32", name="answer"),
        "overlap": keras.Input((4,), name="overlap"),
    }
    embedding = keras.layers.Embedding(50, 4, mask_zero=True)
    pool = BagOfWords("mean")
    sides = [pool(embedding(inputs[side])) for side in ("question", "answer")]
    joined = keras.layers.Concatenate()([*sides, inputs["overlap"]])
    return keras.Model(inputs, keras.layers.Dense(1)(joined))


@pytest.mark.once
def test_features_stay_beside_their_pairs(texts):
    scorer = _with_features()
    rng = np.random.default_rng(1)
    questions, answers = rng.integers(0, len(LENGTHS), (2, 700))
    overlap = rng.normal(size=(700, 4)).astype(np.float32)
    scores = score_pairs(
        scorer, texts, questions, answers, {"overlap": overlap}
    )
    batch = {
        "question": texts.padded(questions),
        "answer": texts.padded(answers),
        "overlap": overlap,
    }
    expected = keras.ops.convert_to_numpy(scorer(batch))[:, 0]
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    assert len(np.unique(scores.round(4))) > 650


def test_a_scorer_with_features_is_not_packed(texts):
    scorer = _with_features()
    scorer.score_packed = None
    one = np.array([2])
    features = {"overlap": np.ones((1, 4), np.float32)}
    assert score_pairs(scorer, texts, one, one, features).shape == (1,)


@pytest.mark.once
def test_no_pairs_with_features(texts):
    none = np.zeros(0, int)
    features = {"overlap": np.zeros((0, 4), np.float32)}
    scores = score_pairs(_with_features(), texts, none, none, features)
    assert scores.shape == (0,)


@pytest.mark.once
def test_features_must_match(texts):
    with pytest.raises(
        ValueError,
        match=r"one row for each of 1 pairs. Received: 2 rows of 'overlap'",
    ):
        score_pairs(
            _with_features(),
            texts,
            np.array([0]),
            np.array([1]),
            {"overlap": np.zeros((2, 4), np.float32)},
        )


def test_no_pairs(texts):
    none = np.zeros(0, int)
    assert score_pairs(HyperQA(50, 6, 5), texts, none, none).shape == (0,)
