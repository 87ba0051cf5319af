"""BM25 against the formula, and the cosine of sums."""

import math

import numpy as np
import pytest

from keras_qa.baselines import bm25_scores
from keras_qa.baselines import cosine_scores
from keras_qa.datasets.base import Candidate
from keras_qa.datasets.base import Question


def test_bm25_is_okapi_on_the_distinct_candidates(capital_questions):
    scores = bm25_scores(capital_questions, k1=1.5, b=0.75)
    # The collection: six distinct candidates, without their full stops.
    documents = {
        c.text: c.text.lower().replace(" .", "").split()
        for q in capital_questions
        for c in q.candidates
    }
    mean = np.mean([len(d) for d in documents.values()])
    for question, values in zip(capital_questions, scores, strict=True):
        query = question.text.lower().replace(" ?", "").split()
        for candidate, value in zip(question.candidates, values, strict=True):
            words = documents[candidate.text]
            expected = 0.0
            for word in query:
                count = words.count(word)
                df = sum(word in d for d in documents.values())
                idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
                norm = 1.5 * (0.25 + 0.75 * len(words) / mean)
                expected += idf * count / (count + norm)
            assert value == pytest.approx(expected, rel=1e-5, abs=1e-9)


def test_bm25_without_a_common_word_is_zero():
    candidates = (Candidate("a", "!!", 0), Candidate("b", "...", 1))
    scores = bm25_scores([Question("q", "Why ?", candidates)])
    assert scores[0].tolist() == [0, 0]


def test_cosine():
    questions = np.array([[3.0, 4.0], [1.0, 0.0], [0.0, 0.0]])
    answers = np.array([[4.0, 3.0], [-2.0, 0.0], [1.0, 1.0]])
    assert cosine_scores(questions, answers) == pytest.approx([0.96, -1, 0])


def test_bm25_sees_no_more_than_the_models(capital_questions):
    cut = bm25_scores(
        capital_questions, max_question_length=4, max_answer_length=3
    )
    # Of "What is the capital" and "The capital of" the third shares most.
    assert np.argmax(cut[0]) == 2
    assert cut[1].tolist() != bm25_scores(capital_questions)[1].tolist()
