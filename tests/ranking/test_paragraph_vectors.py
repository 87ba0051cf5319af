"""Paragraph vectors: gensim's steps from a start of their own."""

import zlib

import numpy as np
import pytest
from gensim.models import doc2vec
from gensim.models.keyedvectors import pseudorandom_weak_vector

from keras_qa.errors import RankerError
from keras_qa.ranking.paragraph_vectors import ParagraphVectors

pytestmark = pytest.mark.once

TEXTS = [
    "paris is the capital of france",
    "rome is the capital of italy",
    "an answer follows the question",
] * 10
SIZES = {"vector_size": 6, "window": 2, "epochs": 3}


@pytest.fixture(scope="module")
def fitted():
    return ParagraphVectors(**SIZES).fit(TEXTS)


@pytest.mark.parametrize("architecture", ["dm", "dbow"])
@pytest.mark.parametrize("negative", [0, 3])
def test_vectors_are_inferred_as_by_gensim(architecture, negative, monkeypatch):
    """`Doc2Vec.infer_vector` with the same first vector and draws."""
    own = ParagraphVectors(
        architectures=[architecture], negative=negative, seed=4, **SIZES
    ).fit(TEXTS)
    (model,) = own._models
    assert (model.dm, model.hs, model.negative) == (
        *(architecture == "dm", not negative, negative),
    )
    (found,) = own.vectors([TEXTS[0]])
    # Python's hash of strings, which gensim takes, differs between processes.
    first = pseudorandom_weak_vector(
        SIZES["vector_size"],
        f"4 {TEXTS[0]}",
        lambda text: zlib.crc32(text.encode()),
    )
    monkeypatch.setattr(
        doc2vec, "pseudorandom_weak_vector", lambda *_, **__: first.copy()
    )
    model.random.seed(4)
    expected = model.infer_vector(TEXTS[0].split())
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert not np.allclose(found, first)


def test_scores_are_cosines(fitted):
    question, answers = TEXTS[0], [TEXTS[1], "unheard of", TEXTS[0], ""]
    vectors = fitted.vectors([question, *answers])
    assert vectors.shape == (5, 12) and vectors.dtype == np.float32
    norms = np.linalg.norm(vectors, axis=1)
    expected = vectors[1:] @ vectors[0] / (norms[1:] * norms[0] + 1e-30)
    scores = fitted.scores(question, answers)
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    np.testing.assert_allclose(scores[2:], [1, 0], atol=1e-6)
    pairs = fitted.scores([question] * 4, answers)
    np.testing.assert_array_equal(pairs, scores)
    assert fitted.scores(question, []).shape == (0,)


def test_no_vector_depends_on_those_before(fitted):
    found = fitted.vectors(TEXTS[:2])
    np.testing.assert_array_equal(fitted.vectors(TEXTS[1::-1])[::-1], found)
    again = ParagraphVectors(**SIZES).fit(TEXTS)
    np.testing.assert_array_equal(again.vectors(TEXTS[:2]), found)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"vector_size": 0}, "`vector_size` must be a positive integer"),
        ({"architectures": ["cbow"]}, "`architectures` must be one of"),
        ({"architectures": []}, "`architectures` must name at least one"),
        ({"negative": -1}, "`negative` must be at least 0"),
        ({"tokenizer": "piece"}, "`tokenizer` must be one of"),
    ],
)
def test_rejects_arguments(wrong, message):
    with pytest.raises(ValueError, match=message):
        ParagraphVectors(**wrong)


def test_rejects_texts():
    with pytest.raises(RankerError, match="`texts` must be a list of texts"):
        ParagraphVectors().fit("a text")
    with pytest.raises(ValueError, match="`texts` must have words that occur"):
        ParagraphVectors(**SIZES).fit(["one two", ""])
    with pytest.raises(RuntimeError, match="`fit`"):
        ParagraphVectors().scores("a", ["b"])
