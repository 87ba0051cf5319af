"""BM25 and the weighted cosine against their formulas."""

import math

import numpy as np
import pytest

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.ranking import floors as baselines
from keras_qa.ranking.floors import bag_of_words_scores
from keras_qa.ranking.floors import bm25_scores
from keras_qa.ranking.floors import cosine_scores
from keras_qa.ranking.floors import idf_alignment_scores
from keras_qa.ranking.floors import idf_cosine_scores
from keras_qa.ranking.floors import idf_overlap_scores
from keras_qa.ranking.floors import smooth_idf
from keras_qa.text.packing import RaggedTexts


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


def some_texts():
    """Eight texts of words 1 to 9, the sixth empty, and word vectors."""
    rng = np.random.default_rng(5)
    sizes = (3, 6, 1, 9, 5, 0, 7, 4)
    words = [rng.integers(1, 10, size) for size in sizes]
    return RaggedTexts.from_sequences(words), rng.normal(size=(10, 4))


@pytest.mark.parametrize("documents", [None, [1, 2, 2, 6]])
def test_idf_cosine_by_loops(monkeypatch, documents):
    monkeypatch.setattr(baselines, "PAIRS", 3)
    texts, vectors = some_texts()
    questions = np.array([0, 0, 0, 7, 7, 7, 7])
    answers = np.array([1, 2, 3, 1, 4, 5, 6])
    counted = {*answers.tolist()} if documents is None else {1, 2, 6}

    def idf(word):
        df = sum(word in texts[d] for d in counted)
        return math.log(len(counted) / max(df, 1))

    def vector(text):
        return sum((idf(w) * vectors[w] for w in texts[text]), np.zeros(4))

    def cosine(x, y):
        norms = np.linalg.norm(x) * np.linalg.norm(y)
        return x @ y / norms if norms else 0

    scores = idf_cosine_scores(texts, vectors, questions, answers, documents)
    assert scores.dtype == np.float32
    pairs = list(zip(questions, answers, strict=True))
    expected = [cosine(vector(q), vector(a)) for q, a in pairs]
    assert scores == pytest.approx(expected, abs=1e-6)
    assert scores[5] == 0
    plain = bag_of_words_scores(texts, vectors, questions, answers)
    expected = [
        cosine(vectors[texts[q]].sum(0), vectors[texts[a]].sum(0))
        for q, a in pairs
    ]
    assert plain == pytest.approx(expected, abs=1e-6)


def test_a_word_of_every_document_says_nothing():
    texts = RaggedTexts.from_sequences([[1, 2, 3], [1, 2], [1, 3], [1]])
    vectors = np.eye(4)
    questions, answers = np.zeros(3, int), np.array([1, 2, 3])
    scores = idf_cosine_scores(texts, vectors, questions, answers)
    assert scores == pytest.approx([0.5**0.5, 0.5**0.5, 0])


def test_bags_of_words_check_their_arguments():
    texts, vectors = some_texts()
    with pytest.raises(ValueError, match=r"equally many\. Received: 1 q"):
        bag_of_words_scores(texts, vectors, np.array([0]), np.array([1, 2]))
    none = np.zeros(0, int)
    with pytest.raises(ValueError, match="`documents` must hold at least one"):
        idf_cosine_scores(texts, vectors, none, none)


def test_floors_of_words_are_those_of_the_models():
    from keras_qa.models import AlignmentRanker
    from keras_qa.models import IdfOverlapRanker
    from keras_qa.ranking.padded import score_padded

    rng = np.random.default_rng(3)
    texts = RaggedTexts.from_sequences(
        [rng.integers(2, 12, n) for n in (3, 5, 1, 0, 7, 4)]
    )
    documents = [texts[i] for i in range(len(texts))]
    pairs = (np.array([0, 0, 1, 2, 3, 1]), np.array([1, 4, 5, 2, 4, 3]))
    vectors = rng.normal(size=(12, 3)).astype(np.float32)
    vectors[5] = 0
    idf = smooth_idf(texts, 12)
    for scores, model in (
        (idf_overlap_scores(texts, idf, *pairs), IdfOverlapRanker(12)),
        (
            idf_alignment_scores(texts, idf, vectors, *pairs),
            AlignmentRanker(12, 3, idf_weighted=True, embeddings=vectors),
        ),
    ):
        model.adapt(documents)
        expected = score_padded(model, texts, *pairs, {})
        np.testing.assert_allclose(scores, expected, atol=1e-6)
        assert scores.dtype == np.float32


def test_the_share_of_a_question_by_hand():
    texts = RaggedTexts.from_sequences([[2, 3], [3, 4]])
    idf = smooth_idf(texts, 5)
    # Both texts have 3, one has 2: weights 1 and ln(3 / 2) + 1.
    pairs = (np.array([0]), np.array([1]))
    rare = math.log(1.5) + 1
    assert idf_overlap_scores(texts, idf, *pairs)[0] == pytest.approx(
        1 / (1 + rare)
    )
    vectors = np.array([[0, 0], [0, 0], [1, 0], [3, 4], [0, 1]], float)
    # The nearest to 2 is 3, with the cosine 0.6; to 3 it is itself.
    assert idf_alignment_scores(texts, idf, vectors, *pairs)[0] == (
        pytest.approx((0.6 * rare + 1) / (1 + rare))
    )
