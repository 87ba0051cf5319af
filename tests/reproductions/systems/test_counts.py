"""The systems without a network, on the bundled questions."""

from types import SimpleNamespace

import pytest

import keras_qa
from keras_qa.datasets import Corpus
from keras_qa.datasets import open_dataset
from keras_qa.ranking.paragraph_vectors import ParagraphVectors
from reproductions.harness.command import run_command
from reproductions.systems import stacked
from reproductions.systems.counts import counting_model
from reproductions.systems.experiment import SystemsExperiment
from support.script_runs import metrics_of


@pytest.mark.parametrize("model", ["weighted-word-count", "pv"])
def test_they_rank_without_word_vectors(tmp_path, model):
    options = ["--smoke", "--model", model, "--output-dir", str(tmp_path)]
    assert run_command(SystemsExperiment(), options) == 0
    found = metrics_of(tmp_path)
    assert found["recipe"] == "untrained"
    assert found["vectors"] == []
    assert 0 < found["metrics"]["MAP"] < 1
    assert 0 < found["selection"]["MAP"] < 1


def test_words_are_weighed_by_the_documents_of_training(monkeypatch):
    dataset = open_dataset("sample")
    fit, report = dataset.held_out_fold()
    corpus = Corpus(fit, report, tokenizer=dataset.tokenizer)
    documents = []
    monkeypatch.setattr(
        keras_qa.WordCountRanker,
        "adapt",
        lambda self, texts, stop_words: documents.extend(texts),
    )
    run = SimpleNamespace(corpus=corpus, fit=fit, report=report)
    counting_model(run, "weighted-word-count")
    known = {c.text for question in fit for c in question.candidates}
    assert {tuple(document) for document in documents} == {
        tuple(corpus.texts[i])
        for i, text in enumerate(corpus.originals)
        if text in known
    }


def test_paragraph_vectors_of_a_stack_have_not_read_what_they_score(
    tmp_path, monkeypatch
):
    runs, read = [], []
    fit, make = ParagraphVectors.fit, stacked.paragraph_vectors

    def noted_fit(self, texts):
        read.append(set(texts))
        return fit(self, texts)

    def noted(run):
        runs.append(run)
        return make(run)

    monkeypatch.setattr(ParagraphVectors, "fit", noted_fit)
    monkeypatch.setattr(stacked, "paragraph_vectors", noted)
    options = ["--smoke", "--model", "pv-cnt", "--output-dir", str(tmp_path)]
    assert run_command(SystemsExperiment(), options) == 0
    for run, texts in zip(runs, read, strict=True):
        fitted, scored = texts_of(run.fit), texts_of(run.report)
        assert fitted <= texts
        assert scored - fitted
        assert not (scored - fitted) & texts
    # Of the folds, each question of training is in one.
    whole, *folds = runs
    scored = [q.text for fold in folds for q in fold.report]
    assert sorted(scored) == sorted(q.text for q in whole.fit)


def texts_of(questions):
    answers = {c.text for question in questions for c in question.candidates}
    return answers | {question.text for question in questions}
