"""What a model scores pairs of a corpus's texts by."""

from dataclasses import replace

import keras
import numpy as np
import pytest

from keras_qa.datasets import Corpus
from keras_qa.datasets.dataset import Candidate
from keras_qa.errors import TextWarning
from keras_qa.models import CosineQA
from keras_qa.ranker import Ranker
from keras_qa.text.overlap import OverlapFeatures
from keras_qa.text.readable import UNREAD_SCORE
from keras_qa.training.corpus_scorer import CorpusScorer
from reproductions.ctrn.experiment import overlap_model


@pytest.fixture
def corpus(capital_questions):
    return Corpus(capital_questions)


@pytest.fixture
def scorer(corpus):
    keras.utils.set_random_seed(1)
    features = OverlapFeatures.fit(corpus.tokens)
    return CorpusScorer(overlap_model(), corpus, features)


@pytest.mark.once
def test_features_are_those_of_the_pairs_that_are_scored(
    scorer, corpus, capital_questions
):
    indexed = corpus.index(capital_questions)
    kernel, bias = (
        keras.ops.convert_to_numpy(weight)
        for weight in scorer.model.get_layer("score").weights
    )
    ranked = scorer.rank(indexed)
    assert [len(scores) for scores in ranked] == [3, 3, 1]
    for question, scores in zip(capital_questions, ranked, strict=True):
        for candidate, score in zip(question.candidates, scores, strict=True):
            texts = (
                corpus.tokens[corpus.index([question]).question_texts[0]],
                candidate.text.lower().split(),
            )
            features = scorer.overlap.pair(*texts)
            assert score == pytest.approx(
                (features @ kernel + bias).item(), abs=1e-5
            )


@pytest.mark.once
def test_a_scorer_without_features_gives_none(corpus):
    one = np.array([0])
    assert CorpusScorer(overlap_model(), corpus).features(one, one) == {}


@pytest.mark.once
def test_texts_have_their_numbers_if_the_scorer_wants_them(corpus):
    rows = np.array([0, 4, 7], dtype=np.int32)
    scorer = CorpusScorer(
        overlap_model(), corpus, question_rows=rows, answer_rows=rows + 1
    )
    pairs = np.array([2, 1, 2]), np.array([0, 0, 1])
    found = scorer.features(*pairs)
    np.testing.assert_array_equal(found["question_row"], [[7], [4], [7]])
    np.testing.assert_array_equal(found["answer_row"], [[1], [1], [5]])
    assert list(found) == ["question_row", "answer_row"]


@pytest.mark.once
def test_answers_that_cannot_be_read_are_last_if_asked(capital_questions):
    texts = ("", "?!", "the", "paris is")
    corpus = Corpus(capital_questions, answers=texts)
    model = CosineQA(len(corpus.vocabulary), 3, 3)
    every = corpus.index(
        [
            replace(
                capital_questions[0],
                candidates=tuple(Candidate(t, t, 0) for t in texts),
            )
        ]
    )
    (kept,) = CorpusScorer(model, corpus).rank(every)
    assert abs(kept).max() <= 2
    scorer = CorpusScorer(model, corpus, unread_last=True)
    (scores,) = scorer.rank(every)
    assert scores.dtype == np.float32
    assert scores.tolist() == [*[UNREAD_SCORE] * 3, kept[3]]
    ranker = Ranker(model, scorer.reading)
    with pytest.warns(TextWarning):
        expected = ranker.scores(capital_questions[0].text, texts)
    np.testing.assert_allclose(scores, expected, rtol=1e-6)


@pytest.mark.once
def test_each_distinct_pair_is_scored_once(scorer, monkeypatch):
    rng = np.random.default_rng(0)
    questions, answers = rng.integers(0, 3, (2, 40))
    expected = scorer.scores(questions, answers)
    asked = []
    scores = CorpusScorer.scores

    def count(self, questions, answers):
        asked.append(len(questions))
        return scores(self, questions, answers)

    monkeypatch.setattr(CorpusScorer, "scores", count)
    found = scorer.distinct_scores(questions, answers)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert asked == [len(set(zip(questions, answers, strict=True)))]
