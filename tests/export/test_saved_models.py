"""Exported models score text as the model in memory does."""

from dataclasses import replace

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_qa.export import verification
from keras_qa.export.saved_model import SavedModel
from keras_qa.export.saved_model import export_saved_model
from keras_qa.export.verification import verify_export
from keras_qa.models import HyperQA
from keras_qa.ranking.padded import score_padded
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.reading import TextReading
from keras_qa.text.vocabulary import Vocabulary
from support.export_models import ANSWERS
from support.export_models import MODELS
from support.export_models import PLAIN
from support.export_models import QUESTIONS
from support.export_models import READING
from support.export_models import VOCABULARY
from support.export_models import assert_close
from support.export_models import in_memory
from support.export_models import needs_tensorflow
from support.export_models import randomise

pytestmark = pytest.mark.filterwarnings("error::UserWarning")


def rank(path, question, candidates):
    """The scores and the order that the signature `rank` gives."""
    ranked = tf.saved_model.load(path).signatures["rank"](
        question=tf.constant(question),
        candidates=tf.constant(candidates, tf.string),
    )
    return ranked["scores"].numpy(), ranked["order"].numpy()


@needs_tensorflow
@pytest.mark.parametrize("name", MODELS)
def test_scores_are_those_in_memory(models, exported, scorers, name):
    largest = verify_export(
        exported(name), models[name], READING[name], QUESTIONS, ANSWERS
    )
    assert largest <= 1e-5
    # Nothing to score is no error.
    assert scorers(name).scores([], []).shape == (0,)
    scores, order = rank(exported(name), "w1 w2", [])
    assert scores.shape == order.shape == (0,)


@needs_tensorflow
def test_verify_export_finds_another_model(exported):
    other = randomise(HyperQA(len(VOCABULARY), 16, 12))
    other.trainable_weights[-1].assign([0.25])
    with pytest.raises(
        ValueError, match=r"expected the scores .* Received: .*'serving_def"
    ):
        verify_export(exported("hyperqa"), other, PLAIN, ["w1"], ["w2"])


@needs_tensorflow
@pytest.mark.parametrize("off", [0.009, 0.02, np.nan])
def test_scores_are_compared_at_the_size_of_the_largest(
    models, exported, monkeypatch, off
):
    # Near 0, a score of large terms has as few digits behind the point.
    monkeypatch.setattr(
        verification, "score_padded", lambda *_: np.array([-100.0, 0.0])
    )
    monkeypatch.setattr(
        SavedModel, "scores", lambda *_: np.array([-100.0, off])
    )
    asked = (exported("hyperqa"), models["hyperqa"], PLAIN, ["w1"] * 2)
    if off < 0.01:
        assert verify_export(*asked, ["w2", "w3"]) == pytest.approx(off / 100)
        return
    with pytest.raises(ValueError, match=r"expected the scores .* answer 'w3'"):
        verify_export(*asked, ["w2", "w3"])


@needs_tensorflow
def test_rank_orders_best_first_and_ties_by_position(models, exported):
    candidates = ["w3", "w5 w6", "w3", "", "w7", "W3", ""]
    scores, order = rank(exported("cosineqa"), "w1 w2", candidates)
    expected = in_memory(
        models["cosineqa"], ["w1 w2"] * len(candidates), candidates
    )
    assert_close(scores, expected)
    assert scores[0] == scores[2] == scores[5]
    assert scores.dtype == np.float32
    assert order.dtype == np.int32
    best_first = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    assert order.tolist() == best_first


@needs_tensorflow
def test_surrogates_in_python_strings(scorers):
    scorer = scorers("hyperqa")
    scores = scorer.scores(["w1 \ud83d\ude00"] * 2, ["w2 \udfff", "w2 \ufffd"])
    assert scores[0] == scores[1]


@needs_tensorflow
@pytest.mark.parametrize("name", ["hyperqa", "overlap", "overlap-fixed"])
def test_long_texts_do_not_pad_short_ones(models, name, monkeypatch, tmp_path):
    text = pytest.importorskip("keras_qa.export.text_graph")
    monkeypatch.setattr(text, "POSITIONS", 40)
    model, reading = models[name], READING[name]
    path = tmp_path / "small_chunks"
    export_saved_model(model, reading, path)
    scorer = SavedModel(path)
    some = slice(13, None)
    pairs = reading.for_model(model).pairs(QUESTIONS[some], ANSWERS[some])
    expected = score_padded(model, *pairs)
    assert_close(scorer.scores(QUESTIONS[some], ANSWERS[some]), expected)
    scores = scorer.scores(QUESTIONS[13], ANSWERS[13:15] * 9)
    assert_close(scores[::2], expected[:1].repeat(9))


@needs_tensorflow
@pytest.mark.parametrize("name", ["overlap", "overlap-fixed"])
def test_overlap_changes_scores(models, scorers, name):
    """Texts of the same ids whose words are shared or not."""
    scorer = scorers(name)
    asked, candidates = (
        "w1 unheard",
        ["w2 unheard of", "w2 unheard unseen", "w2 unknown unseen"],
    )
    scores = scorer.scores(asked, candidates)
    assert_close(scorer.scores([asked] * 3, candidates), scores)
    assert abs(np.diff(scores)).min() > 1e-3
    assert_close(
        scores,
        in_memory(models[name], [asked] * 3, candidates, READING[name]),
    )


@needs_tensorflow
def test_verify_export_finds_other_counts(models, exported):
    other = OverlapFeatures.fit([["w1"], ["w2", "new"], ["w1", "new"]])
    with pytest.raises(ValueError, match="expected the scores of the model"):
        verify_export(
            exported("overlap"),
            models["overlap"],
            replace(READING["overlap"], overlap=other),
            QUESTIONS,
            ANSWERS,
        )


@needs_tensorflow
def test_weights_are_stored_once(tmp_path):
    model = HyperQA(20_000, 50, 10)
    model.compile("adam", "mse")
    vocabulary = Vocabulary(f"word{i}" for i in range(19_998))
    reading = TextReading(vocabulary)
    export_saved_model(model, reading, tmp_path / "saved_model")
    size, added = (
        sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        for folder in (
            tmp_path / "saved_model",
            tmp_path / "saved_model" / "assets.extra",
        )
    )
    weights = 4 * model.count_params()
    letters = sum(map(len, vocabulary.words))
    assert weights < size - added < weights + 5 * letters + 220_000
    # The words with their line ends, and no weights.
    assert added < letters + len(vocabulary) + 20_000


@needs_tensorflow
def test_half_precision_scores_become_float32(tmp_path):
    ids = [
        keras.Input((None,), dtype="int32", name=side)
        for side in ("question", "answer")
    ]
    embed = keras.layers.Embedding(len(VOCABULARY), 4, dtype="float16")
    pool = keras.layers.GlobalMaxPooling1D(dtype="float16")
    q, a = (pool(embed(i)) for i in ids)
    model = keras.Model(
        {"question": ids[0], "answer": ids[1]},
        keras.layers.Dot(-1, dtype="float16")([q, a]),
    )
    export_saved_model(model, PLAIN, tmp_path / "saved_model")
    scores = SavedModel(tmp_path / "saved_model").scores(["w1"], ["w2"])
    assert scores.dtype == np.float32
    assert_close(scores, in_memory(model, ["w1"], ["w2"]))


@needs_tensorflow
def test_pairs_must_match(exported, scorers):
    scorer = scorers("hyperqa")
    with pytest.raises(ValueError, match="Received: 1 questions, 2 answers"):
        scorer.scores(["w1"], ["w2", "w3"])
    signatures = tf.saved_model.load(exported("hyperqa")).signatures
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="must hold equally many texts"
    ):
        signatures["serving_default"](
            question=tf.constant(["w1"]), answer=tf.constant(["w2", "w3"])
        )
