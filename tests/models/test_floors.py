"""The floors: their scores by the features, what is fitted, and rankers."""

import keras
import numpy as np
import pytest

from keras_qa import Ranker
from keras_qa import TextReading
from keras_qa import Vocabulary
from keras_qa.datasets import Corpus
from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.layers import AlignmentFeatures
from keras_qa.layers.alignment_features import FEATURES
from keras_qa.models import AlignmentRanker
from keras_qa.models import BM25Ranker
from keras_qa.models import FeatureRanker
from keras_qa.models import IdfOverlapRanker
from keras_qa.models import SentenceCosineRanker
from keras_qa.models import WordCountRanker
from keras_qa.models.floors.bm25_ranker import K1
from keras_qa.models.floors.bm25_ranker import B
from keras_qa.ranking.evaluation import evaluate
from keras_qa.ranking.floors import bag_of_words_scores
from keras_qa.ranking.floors import bm25_scores
from keras_qa.ranking.logistic import listwise_regression
from keras_qa.ranking.logistic import logistic_regression
from keras_qa.ranking.scoring import score_pairs
from keras_qa.text.vector_texts import VectorTexts
from support.layer_checks import quick_call

# What differs between backends, one forward pass, is in test_backends.py.
pytestmark = pytest.mark.once

DIM = 6
WORDS = [f"w{i}" for i in range(20)]


def some_questions(count=8, seed=0):
    """Questions whose right answers tend to repeat their words."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(count):
        words = list(rng.choice(WORDS, 4, replace=False))
        candidates = []
        for j in range(5):
            kept = words[: rng.integers(1, 4)] if j == 0 else words[:1]
            rest = rng.choice(WORDS, rng.integers(2, 9))
            text = " ".join([*kept, *rest])
            candidates.append(Candidate(f"{i}-{j}", text, int(j == 0)))
        found.append(Question(str(i), " ".join(words), tuple(candidates)))
    return found


@pytest.fixture(scope="module")
def corpus():
    return Corpus(some_questions())


@pytest.fixture(scope="module")
def indexed(corpus):
    return corpus.index(some_questions())


@pytest.fixture(scope="module")
def matrix(corpus):
    rng = np.random.default_rng(1)
    return rng.normal(size=(len(corpus.vocabulary), DIM)).astype("float32")


def documents(corpus):
    return [corpus.texts[i] for i in range(len(corpus.texts))]


def contextual(corpus, matrix):
    """Vectors of words in their texts: those of the words, moved a little."""
    rng = np.random.default_rng(2)
    vectors = matrix[corpus.texts.ids]
    moved = vectors + 0.1 * rng.normal(size=vectors.shape)
    return VectorTexts(moved.astype("float32"), corpus.texts.offsets)


def features_of(corpus, indexed, matrix, vectors=None):
    """All nine features by the layer."""
    layer = AlignmentFeatures(len(matrix))
    layer.adapt(documents(corpus))
    sides = indexed.pairs()
    ids = [corpus.texts.padded(side) for side in sides]
    found = [matrix[x] for x in ids]
    if vectors is not None:
        found = [vectors.padded(side) for side in sides]
    return keras.ops.convert_to_numpy(quick_call(layer, [*ids, *found]))


MODELS = {
    "alignment": (AlignmentRanker, {}),
    "idf_alignment": (AlignmentRanker, {"idf_weighted": True}),
    "cosine": (SentenceCosineRanker, {}),
    "idf_cosine": (SentenceCosineRanker, {"idf_weighted": True}),
    "idf_overlap": (IdfOverlapRanker, {}),
}


@pytest.mark.parametrize("feature", MODELS)
def test_a_floor_of_one_feature(feature, corpus, indexed, matrix):
    model_class, arguments = MODELS[feature]
    if feature != "idf_overlap":
        arguments = {**arguments, "embedding_dim": DIM, "embeddings": matrix}
    model = model_class(len(matrix), **arguments)
    model.adapt(documents(corpus))
    assert model.fit_questions(corpus.texts, indexed) == {}
    found = score_pairs(model, corpus.texts, *indexed.pairs())
    column = FEATURES.index(feature)
    expected = features_of(corpus, indexed, matrix)[:, column]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_cosine_is_that_of_the_bags_of_words(corpus, indexed, matrix):
    model = SentenceCosineRanker(len(matrix), DIM, embeddings=matrix)
    pairs = indexed.pairs()
    expected = bag_of_words_scores(corpus.texts, matrix, *pairs)
    found = score_pairs(model, corpus.texts, *pairs)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_vectors_of_words_in_their_texts(corpus, indexed, matrix):
    vectors = contextual(corpus, matrix)
    model = AlignmentRanker(len(matrix), DIM, contextual=True)
    found = score_pairs(model, corpus.texts, *indexed.pairs(), vectors=vectors)
    expected = features_of(corpus, indexed, matrix, vectors)[:, 0]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert set(model.input) == {
        *("question", "answer", "question_vectors", "answer_vectors")
    }


def test_vectors_of_words_are_refused_where_they_are_inputs(matrix):
    with pytest.raises(ValueError, match="`embeddings` must be None"):
        AlignmentRanker(len(matrix), DIM, embeddings=matrix, contextual=True)


def test_bm25_is_that_of_the_package(corpus, indexed):
    model = BM25Ranker(len(corpus.vocabulary), k1=1.5, b=0.75)
    candidates = np.unique(np.concatenate(indexed.candidate_texts))
    model.adapt([corpus.texts[i] for i in candidates])
    found = score_pairs(model, corpus.texts, *indexed.pairs())
    expected = np.concatenate(bm25_scores(some_questions()))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("weighting", [None, "idf"])
def test_word_counts_by_loops(weighting, corpus, indexed):
    """Stop words and unknown words do not count."""
    size, stop = len(corpus.vocabulary), [3, 4]
    model = WordCountRanker(size, weighting)
    train = documents(corpus)[:9]
    model.adapt(train, stop)

    def weight(word):
        if word in (0, 1, *stop):
            return 0
        df = sum(word in text for text in train)
        return np.log((len(train) + 1) / (df + 0.5)) if weighting else 1

    question = np.array([[3, 5, 5, 1], [6, 7, 0, 0], [0, 0, 0, 0]])
    answer = np.array([[5, 3, 1, 5, 5], [8, 7, 0, 0, 0], [5, 5, 5, 5, 5]])
    found = quick_call(model, {"question": question, "answer": answer})
    expected = [
        [sum(weight(w) for w in q if w in a)]
        for q, a in zip(question.tolist(), answer.tolist(), strict=True)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert expected[0][0] == 2 * weight(5)


def test_word_counts_take_one_of_two_weightings():
    with pytest.raises(ValueError, match="`weighting` must be one of"):
        WordCountRanker(9, "tf")


def test_bm25_is_tuned_by_map(corpus, indexed):
    model = BM25Ranker(len(corpus.vocabulary))
    model.adapt(documents(corpus))
    fitted = model.fit_questions(corpus.texts, indexed)
    assert (model.k1, model.b) == (fitted["k1"], fitted["b"])

    def quality(k1, b):
        other = BM25Ranker(len(corpus.vocabulary), k1, b)
        other.adapt(documents(corpus))
        scores = score_pairs(other, corpus.texts, *indexed.pairs())
        found = evaluate(indexed.questions, indexed.split(scores))
        return found.metrics["MAP"]

    assert quality(model.k1, model.b) == fitted["MAP"]
    for k1, b in ((K1[0], B[-1]), (K1[-1], B[0])):
        assert quality(k1, b) <= fitted["MAP"]
    # The chosen values are part of the model.
    copy = BM25Ranker.from_config(model.get_config())
    assert (copy.k1, copy.b) == (model.k1, model.b)


@pytest.mark.parametrize("of_texts", [False, True])
def test_features_are_standardised_and_weighted(
    of_texts, corpus, indexed, matrix
):
    vectors = contextual(corpus, matrix) if of_texts else None
    given = {"contextual": True} if of_texts else {"embeddings": matrix}
    model = FeatureRanker(len(matrix), DIM, **given)
    model.adapt(documents(corpus))
    fitted = model.fit_questions(corpus.texts, indexed, vectors, l2=0.5)
    x = features_of(corpus, indexed, matrix, vectors)
    x = (x - x.mean(0)) / x.std(0)
    weights, bias = logistic_regression(x, np.concatenate(indexed.labels), 0.5)
    assert list(fitted["weights"]) == list(FEATURES)
    np.testing.assert_allclose(
        [*fitted["weights"].values()], weights, atol=1e-2
    )
    scores = score_pairs(model, corpus.texts, *indexed.pairs(), vectors=vectors)
    np.testing.assert_allclose(scores, x @ weights + bias, atol=1e-2)


def test_features_are_weighed_by_question(corpus, indexed, matrix):
    model = FeatureRanker(len(matrix), DIM, embeddings=matrix)
    model.adapt(documents(corpus))
    fitted = model.fit_questions(corpus.texts, indexed, listwise=True)
    x = features_of(corpus, indexed, matrix)
    x = (x - x.mean(0)) / x.std(0)
    weights = listwise_regression(x, indexed.labels)
    np.testing.assert_allclose(
        [*fitted["weights"].values()], weights, atol=1e-2
    )
    assert fitted["bias"] == 0
    scores = score_pairs(model, corpus.texts, *indexed.pairs())
    np.testing.assert_allclose(scores, x @ weights, atol=1e-2)


def test_features_may_be_chosen(corpus, indexed, matrix):
    names = ["overlap", "log_length"]
    model = FeatureRanker(len(matrix), DIM, features=names)
    assert model.get_config()["features"] == names
    fitted = model.fit_questions(corpus.texts, indexed)
    assert list(fitted["weights"]) == names
    with pytest.raises(ValueError, match="`features` must be one of"):
        FeatureRanker(9, DIM, features=["idf"])


@pytest.mark.filterwarnings("ignore::keras_qa.errors.TextWarning")
def test_a_floor_is_a_ranker(tmp_path, matrix):
    """It ranks texts, is saved and loaded."""
    reading = TextReading(Vocabulary(WORDS))
    size = len(reading.vocabulary)
    vectors = np.resize(matrix, (size, DIM))
    model = AlignmentRanker(size, DIM, embeddings=vectors)
    ranker = Ranker(model, reading)
    question, answers = "w1 w2 unheard", ["w3 unheard", "w1 w2", ""]
    ranked = ranker.rank(question, answers)
    assert [place for place, _ in ranked] == [1, 0, 2]
    ranker.save(tmp_path / "ranker")
    assert Ranker.load(tmp_path / "ranker").rank(question, answers) == ranked


def test_random_vectors_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="`embeddings` must have the shape"):
        AlignmentRanker(9, 4, embeddings=np.ones((9, 5)))
