"""Inner products of lifted vectors find the answers that the models rank."""

import numpy as np
import pytest

import keras_qa
from keras_qa.errors import RankerError
from keras_qa.errors import SearchError
from keras_qa.ranker import Ranker
from keras_qa.search import lifted
from keras_qa.search.index import AnswerIndex
from keras_qa.search.token_search import TokenSpace
from keras_qa.text.readable import UNREAD_SCORE
from support.search_runs import ANSWERS
from support.search_runs import QUESTION
from support.search_runs import best

UNREAD = "none of these"


@pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning")
@pytest.mark.parametrize(
    "name", ["hyperqa", "expmap", "radius", "cosineqa", "qacnn"]
)
def test_products_order_answers_as_scores_do(runs, name):
    ranker = Ranker.load(runs[name])
    answers = list(dict.fromkeys([UNREAD, *ANSWERS, ""]))
    rows, vectors = keras_qa.lifted_answers(ranker, answers)
    assert rows.tolist() == list(range(1, len(answers) - 1))
    question = keras_qa.lifted_question(ranker, QUESTION)
    assert vectors.dtype == question.dtype == np.float32
    scores = ranker.scores(QUESTION, answers)
    assert scores[0] == scores[-1] == UNREAD_SCORE
    found = rows[best(vectors @ question, 10)]
    # Of texts with the same words, scores differ by rounding alone.
    np.testing.assert_allclose(
        scores[found], scores[best(scores, 10)], rtol=1e-5
    )


def test_the_best_are_those_of_the_exact_index(hyperqa_index):
    index = AnswerIndex(hyperqa_index, "flat")
    rows, vectors = lifted.lifted_answers(index.ranker, ANSWERS)
    for text in (QUESTION, "w3", "w5 w20 w11"):
        products = vectors @ lifted.lifted_question(index.ranker, text)
        expected, _ = index.search(index.encode(text), 10)
        assert set(rows[best(products, 10)]) == set(expected)


def test_what_cannot_be_lifted(runs, monkeypatch):
    with pytest.raises(SearchError, match="The model must be HyperQA or"):
        lifted.lifted_question(Ranker.load(runs["qrnn"]), QUESTION)
    ranker = Ranker.load(runs["hyperqa"])
    rows, vectors = lifted.lifted_answers(ranker, [])
    assert rows.shape == (0,)
    assert vectors.shape == (0, *lifted.lifted_question(ranker, "w1").shape)
    with pytest.raises(RankerError, match="`answers` must be"):
        lifted.lifted_answers(ranker, "w1")
    monkeypatch.setattr(lifted, "space_of", lambda _: TokenSpace(1.0))
    with pytest.raises(SearchError, match="one vector for each text"):
        lifted.lifted_answers(ranker, ANSWERS)


def test_answers_without_words_do_not_replace_what_a_graph_missed(
    hyperqa_index, monkeypatch
):
    index = AnswerIndex(hyperqa_index, "flat")
    index.unread = np.array([0])
    missed = (np.array([4]), np.array([0.5]))
    monkeypatch.setattr(index._searcher, "find", lambda *_: missed)
    assert index.search(index.encode(QUESTION), 3)[0].tolist() == [4]
