"""What is timed: a pool read anew, a pool of vectors, an epoch of steps."""

from types import SimpleNamespace

import keras
import numpy as np
import pytest

import keras_qa
from keras_qa.datasets import Corpus
from keras_qa.datasets import open_dataset
from reproductions.harness.errors import SettingsError
from reproductions.harness.parts import timing
from reproductions.harness.parts.learners import Learner


@pytest.fixture(scope="module")
def run():
    """A run of the sample, as far as a clock reads it."""
    dataset = open_dataset("sample")
    fit, report = dataset.held_out_fold()
    corpus = Corpus(fit[:9], report[:10], tokenizer=dataset.tokenizer)
    return SimpleNamespace(corpus=corpus, fit=fit[:9], report=report[:10])


def scorer(run, model_class):
    model = model_class(len(run.corpus.vocabulary), 3, 4)
    return keras_qa.CorpusScorer(model, run.corpus)


def clock(*durations):
    """A module `time` for works that take some seconds each."""
    ends = np.cumsum(durations)
    readings = np.stack([ends - durations, ends], axis=1).ravel()
    return SimpleNamespace(perf_counter=iter(readings).__next__)


def test_the_questions_that_compile_do_not_count(run, monkeypatch):
    cosine = scorer(run, keras_qa.CosineQA)
    slow = timing.QUESTIONS * [50]
    monkeypatch.setattr(timing, "time", clock(*slow, 1, 2, 3, 4, 5))
    assert timing.pool_seconds(cosine, run) == 3


def test_a_model_of_vectors_has_both_times(run):
    cosine = scorer(run, keras_qa.CosineQA)
    assert timing.pool_seconds(cosine, run) > 0
    assert timing.encoded_seconds(cosine, run) > 0
    pool = timing.pool_of(run)
    assert 1 < len(pool) <= timing.POOL
    assert len(np.unique(pool)) == len(pool)


def test_a_model_of_tokens_has_both_times(run):
    pytest.importorskip("keras_hub")
    size = len(run.corpus.vocabulary)
    model = keras_qa.LateInteraction(size, 1, 2, 8, 8, cls_id=2, sep_id=3)
    found = keras_qa.CorpusScorer(model, run.corpus)
    assert timing.encoded_seconds(found, run) > 0


def test_a_few_questions_are_refused(run):
    few = SimpleNamespace(**{**vars(run), "report": run.report[:5]})
    few.arguments = SimpleNamespace(dataset="sample")
    with pytest.raises(SettingsError, match="sample: expected more than"):
        timing.pool_seconds(scorer(run, keras_qa.CosineQA), few)


def test_texts_that_are_read_together_have_one(run):
    assert timing.encoded_seconds(scorer(run, keras_qa.APCNN), run) is None


def test_an_epoch_is_the_time_of_all_its_steps(run, monkeypatch):
    monkeypatch.setattr(timing, "STEPS", 4)
    learner = Learner(scorer(run, keras_qa.CosineQA), keras.optimizers.SGD())
    indexed = run.corpus.index(run.fit)
    batches = keras_qa.ListwiseBatches(
        run.corpus.texts,
        indexed.question_texts,
        indexed.candidate_texts,
        indexed.labels,
        batch_size=1,
    )
    trainer = keras_qa.PairwiseTrainer(learner.scorer.model)
    trainer.compile(learner.optimizer, loss=keras_qa.ListwiseSoftmax())
    assert len(batches) > 4
    monkeypatch.setattr(timing, "time", clock(50, 50, 2, 4))
    found = timing.epoch_seconds(learner.fitted(trainer, batches))
    # Without the steps that compile.
    assert found == 3 * len(batches)
