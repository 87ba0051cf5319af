"""DrQA's retriever against its formula, computed n-gram by n-gram."""

import math
from zlib import crc32

import numpy as np
import pytest

from keras_qa.ranking.hashed_tfidf import HashedTfIdf

DOCUMENTS = [
    "The white whale is white.",
    "Ishmael saw the whale",
    "A ship, and a ship's captain",
    "Captain Ahab hunts the white whale",
    "Nothing to see",
]
# Their words that are no stop words, with None where n-grams are broken.
WORDS = [
    [None, "white", "whale", None, "white", None],
    ["ishmael", "saw", None, "whale"],
    [None, "ship", None, None, None, "ship", None, "captain"],
    ["captain", "ahab", "hunts", None, "white", "whale"],
    ["nothing", None, "see"],
]


def grams(words, longest):
    found = [
        tuple(words[i : i + n])
        for n in range(1, longest + 1)
        for i in range(len(words) - n + 1)
    ]
    return [gram for gram in found if None not in gram]


@pytest.mark.parametrize("longest", (1, 2))
def test_the_scores_are_the_formula(longest):
    documents = [grams(words, longest) for words in WORDS]
    question = grams(["ahab", "hunts", "white", "whale", "white"], longest)
    expected = []
    for document in documents:
        score = 0.0
        for gram in set(question) & set(document):
            n = sum(gram in other for other in documents)
            idf = max(math.log((5 - n + 0.5) / (n + 0.5)), 0)
            score += (
                math.log(1 + question.count(gram))
                * math.log(1 + document.count(gram))
                * idf**2
            )
        expected.append(score)
    assert np.argmax(expected) == 3
    retriever = HashedTfIdf(DOCUMENTS, ngrams=longest)
    scores = retriever.scores("Ahab hunts white whale White")
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


def test_words_are_in_the_lower_case_of_the_tokeniser():
    """`str.lower` has another final sigma, and two characters for one."""
    documents = ["ΟΔΥΣΣΕΥΣ ship", "İstanbul city", "a town"]
    retriever = HashedTfIdf(documents)
    assert np.flatnonzero(retriever.scores("ΟΔΥΣΣΕΥΣ")).tolist() == [0]
    assert np.flatnonzero(retriever.scores("İstanbul")).tolist() == [1]


def test_a_word_of_most_documents_counts_nothing():
    retriever = HashedTfIdf(["whale one", "whale two", "whale three"])
    assert not retriever.scores("whale").any()
    assert retriever.scores("two")[1] > 0


def test_buckets_are_by_crc_32_of_whole_words():
    documents = ["ship's", "well-known", "$ 5", *["the"] * 4]
    apart = HashedTfIdf(documents, ngrams=1)
    for index, word in enumerate(("ship's", "well-known", "5")):
        assert np.flatnonzero(apart.scores(word)).tolist() == [index]
    # Parts of a word are other words, and a symbol alone is none.
    for text in ("ship", "well known", "$"):
        assert not apart.scores(text).any()
    assert crc32(b"well-known") % 7 == crc32(b"5") % 7 != crc32(b"ship's") % 7
    together = HashedTfIdf(documents, ngrams=1, buckets=7)
    assert np.flatnonzero(together.scores("5")).tolist() == [1, 2]


def test_few_buckets_collide():
    assert len(HashedTfIdf(DOCUMENTS, buckets=3).idf) <= 3


def test_texts_without_words():
    retriever = HashedTfIdf(["", "the"])
    assert retriever.scores("the ?").tolist() == [0, 0]
    assert retriever.scores("whale").tolist() == [0, 0]


def test_errors():
    with pytest.raises(ValueError, match="`documents` must hold"):
        HashedTfIdf([])
    with pytest.raises(ValueError, match="`ngrams` must be a positive"):
        HashedTfIdf(["x"], ngrams=0)
