"""The floors of a run: what they read, what they fit on, what they leave."""

from argparse import Namespace
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from keras_qa.datasets import Corpus
from keras_qa.datasets import open_dataset
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.embeddings import InverseDocumentFrequency
from reproductions.harness import run as course
from reproductions.harness import vectors
from reproductions.harness.errors import SettingsError
from reproductions.harness.floors import CLASSES
from reproductions.harness.floors import build_floor
from reproductions.harness.floors import with_wrong_answers
from reproductions.harness.parts.floor_names import CONTEXTUAL_FLOORS
from reproductions.harness.parts.floor_names import FLOORS
from reproductions.harness.parts.floor_names import WORDLESS
from reproductions.hyperqa import experiment as hyperqa
from support.script_runs import metrics_of
from support.script_runs import smoke_runner

run = smoke_runner(hyperqa, {"skipgram_dim": 6})


def test_a_class_for_every_name():
    contextual = {n.removeprefix("contextual-") for n in CONTEXTUAL_FLOORS}
    assert contextual < set(CLASSES)
    # `bm25` is older, and its recorded figures stay what they are.
    assert set(CLASSES) == {*FLOORS} - {"bm25"}
    assert set(WORDLESS) < set(FLOORS)


@pytest.fixture(scope="module")
def sample():
    """A run of the sample, as far as a floor reads it."""
    dataset = open_dataset("sample")
    fit, select = dataset.held_out_fold()
    fit, select = fit[:9], select[:4]
    corpus = Corpus(fit, select, tokenizer=dataset.tokenizer)
    matrix = np.ones((len(corpus.vocabulary), 3), "float32")
    return SimpleNamespace(
        arguments=Namespace(seed=1), corpus=corpus, fit=fit, matrix=matrix
    )


def test_the_idf_is_that_of_the_training_texts(sample):
    model = build_floor("idf-alignment", sample)
    words = sample.corpus.vocabulary.words
    expected = InverseDocumentFrequency.of(sample.corpus.sentences(sample.fit))
    np.testing.assert_allclose(
        keras.ops.convert_to_numpy(model.counting.idf.idf)[2:],
        expected(words[2:]),
        rtol=1e-5,
    )


def test_bm25_counts_training_candidates_without_punctuation(sample):
    corpus = sample.corpus
    layer = build_floor("bm25-tuned", sample).counting
    idf = keras.ops.convert_to_numpy(layer.idf)
    ids = {word: i for i, word in enumerate(corpus.vocabulary.words)}
    assert idf[ids["."]] == idf[0] == 0 < idf[ids["the"]]
    texts = {c.text for q in sample.fit for c in q.candidates}
    lengths = [
        sum(any(map(str.isalnum, token)) for token in corpus.tokens[i])
        for i in np.unique(
            np.concatenate(corpus.index(sample.fit).candidate_texts)
        )
    ]
    assert len(lengths) == len(texts)
    assert float(layer.mean_length) == pytest.approx(np.mean(lengths))


def test_questions_without_wrong_answers_get_some():
    questions = [
        Question(str(i), "who ?", (Candidate(f"{i}", f"answer {i % 4}", 1),))
        for i in range(6)
    ]
    found = with_wrong_answers(questions, seed=1)
    for question, given in zip(found, questions, strict=True):
        assert question.positives == given.candidates
        (right,) = (c.text for c in question.positives)
        wrong = [c.text for c in question.negatives]
        assert sorted([right, *wrong]) == [f"answer {i}" for i in range(4)]
    assert with_wrong_answers(found, seed=2) is found


def test_it_is_fitted_and_measured(tmp_path, without_export, capsys):
    assert run(tmp_path / "run", "--model=features") == 0
    assert "features: {'weights': {'alignment':" in capsys.readouterr().out
    metrics = metrics_of(tmp_path / "run")
    assert metrics["recipe"] == "untrained"
    assert set(metrics["selection"]) == set(metrics["metrics"])
    assert len(metrics["fitted"]["weights"]) == 9


def test_vectors_of_words_in_their_texts(
    tmp_path, monkeypatch, without_export, capsys
):
    """Of a BERT of the same interface, each of whose words has its vector."""

    class Bert:
        fingerprint, width = "tiny", 4

        def __init__(self, source, layers=-1):
            self.source, self.layers = source, layers

    def bert_rows(bert, kind, texts, cache_dir, progress):
        assert (bert.source, bert.layers, kind) == ("minilm", -1, "text")
        for i, text in enumerate(texts):
            seeds = [sum(map(ord, word)) for word in text]
            yield i, np.sin(np.outer(seeds, [1.0, 2.0, 3.0, 4.0]))

    monkeypatch.setattr(vectors, "Bert", Bert)
    monkeypatch.setattr(vectors, "bert_rows", bert_rows)
    bert = ["--model=contextual-alignment", "--embeddings", "bert:minilm"]
    assert run(tmp_path / "run", *bert) == 0
    metrics = metrics_of(tmp_path / "run")
    assert metrics["vectors"] == ["bert:minilm"]
    assert (metrics["fitted"], "coverage" in metrics) == ({}, False)
    bert.append("skipgram")
    assert run(tmp_path / "other", *bert) == 2
    assert "need `--embeddings bert:SOURCE`" in capsys.readouterr().err


def test_bert_texts_are_those_of_the_corpus(monkeypatch):
    monkeypatch.setattr(
        vectors, "Bert", lambda source, layers: SimpleNamespace(width=2)
    )
    monkeypatch.setattr(
        vectors,
        "bert_rows",
        lambda bert, kind, texts, *_: (
            (i, np.full((len(text), 2), len(text[0])))
            for i, text in enumerate(texts)
        ),
    )
    corpus = SimpleNamespace(tokens=[["a", "b"], [], ["ccc"], ["a", "b"]])
    texts = vectors.bert_texts(["bert:x"], corpus)
    assert texts.lengths.tolist() == [2, 0, 1, 2]
    assert texts[2].tolist() == [[3.0, 3.0]]
    assert (texts[3] == texts[0]).all()
    with pytest.raises(SettingsError, match=r"Received: --embeddings a\.txt"):
        vectors.bert_texts(["a.txt"], corpus)


@pytest.mark.once
def test_bm25_reads_as_the_run(capital_questions, monkeypatch):
    given = {}

    def bm25_scores(questions, tokenizer, **lengths):
        given.update(lengths, tokenizer=tokenizer)
        return []

    monkeypatch.setattr(course, "bm25_scores", bm25_scores)
    expected = {"max_question_length": 3, "max_answer_length": 2}
    expected["tokenizer"] = "whitespace"
    run = SimpleNamespace(
        arguments=SimpleNamespace(model="bm25"),
        report=capital_questions,
        corpus=Corpus(capital_questions, **expected),
    )
    course._outcome(None, run)
    assert given == expected


@pytest.mark.once
def test_the_seed_draws_the_wrong_answers():
    questions = [
        Question(str(i), f"q{i}", (Candidate("0", f"a{i:03}", 1),))
        for i in range(200)
    ]
    drawn = [
        {c.text for c in with_wrong_answers(questions, seed)[0].negatives}
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
