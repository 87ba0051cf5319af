"""Word overlap: hand-computed values, a second computation, files, errors."""

import json
import math
from fractions import Fraction

import bm25s.stopwords
import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from keras_qa.errors import DatasetError
from keras_qa.text.overlap import STOP_WORDS
from keras_qa.text.overlap import OverlapFeatures
from support.new_process import run_code

LN2 = math.log(2)

# Eight documents, so that every idf is a multiple of ln 2.
DOCUMENTS = [
    ["the", "whale", "is", "white", "."],
    ["the", "whale", "the", "whale", "."],
    ["the", "sea", "."],
    ["the", "sea", "."],
    ["the", "sea"],
    ["the", "sea"],
    ["the", "ship", "?"],
    ["the"],
]
FEATURES = OverlapFeatures.fit(DOCUMENTS)


def test_a_pair_by_hand():
    # Q = {is, the, whale, white, ?}, A = {the, white, whale, is, rare, .}
    # share is (df 1: 3 ln 2), the (df 8: 0), whale (df 2: 2 ln 2) and white
    # (df 1: 3 ln 2). Of these whale and white are no stop words; the sides
    # then have 2 and 3 words.
    question = ["is", "the", "whale", "white", "?"]
    answer = ["the", "white", "whale", "is", "a", "rare", "whale", "."]
    found = FEATURES.pair(question, answer)
    expected = [4 / 12, 8 * LN2 / 12, 2 / 5, 5 * LN2 / 5]
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-7)


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ([], [], [0, 0, 0, 0]),
        (["sea"], [], [0, 0, 0, 0]),
        ([], ["sea"], [0, 0, 0, 0]),
        (["sea"], ["ship"], [0, 0, 0, 0]),
        # Equal texts, and words said twice.
        (["sea"], ["sea"], [1 / 2, LN2 / 2, 1 / 2, LN2 / 2]),
        (["sea"] * 3, ["sea", "sea"], [1 / 2, LN2 / 2, 1 / 2, LN2 / 2]),
        # Stop words only; a mark is one.
        (["the", "."], [".", "the"], [1 / 2, LN2 / 4, 0, 0]),
        (["…"], ["…"], [1 / 2, 3 * LN2 / 2, 0, 0]),
        # Words that no document holds, in other scripts too.
        (["kraken"], ["kraken"], [1 / 2, 3 * LN2 / 2, 1 / 2, 3 * LN2 / 2]),
        (["漢字", "é"], ["é"], [1 / 3, LN2, 1 / 3, LN2]),
        # Compared code point by code point; [UNK] is a word as any other.
        (["é"], ["e\u0301"], [0, 0, 0, 0]),
        (["[unk]"], ["[unk]"], [1 / 2, 3 * LN2 / 2, 1 / 2, 3 * LN2 / 2]),
    ],
)
def test_pairs_by_hand(question, answer, expected):
    found = FEATURES.pair(question, answer)
    np.testing.assert_allclose(found, expected, rtol=1e-7)
    np.testing.assert_array_equal(FEATURES.pair(answer, question), found)


def test_fit_counts_documents_not_occurrences():
    assert FEATURES.documents == 8
    assert FEATURES.document_frequencies == {
        "the": 8, "whale": 2, "is": 1, "white": 1, "sea": 4, "ship": 1,
        ".": 4, "?": 1,
    }  # fmt: skip
    assert FEATURES.stop_words == STOP_WORDS
    assert FEATURES.idf("the") == 0
    assert FEATURES.idf("whale") == math.log(4)
    assert FEATURES.idf("ship") == FEATURES.idf("kraken") == math.log(8)


def test_other_stop_words():
    features = OverlapFeatures.fit(DOCUMENTS, stop_words=["sea"])
    assert features.pair(["sea", "the"], ["the", "sea"]).tolist() == [
        pytest.approx(x, rel=1e-7) for x in (0.5, LN2 / 4, 0.5, 0)
    ]


WORDS = [
    *"abcdefgh",
    "the",
    "of",
    "wasn't",
    ".",
    "_",
    "``",
    "²",
    "é",
    "漢",
    "3",
]
TOKENS = st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=12)


@hypothesis.settings(max_examples=200, deadline=None)
@hypothesis.given(st.lists(TOKENS, min_size=1, max_size=8), st.randoms())
def test_the_formula_in_loops(documents, random):
    features = OverlapFeatures.fit(documents)
    texts = [*documents, random.sample(WORDS, 6), random.sample(WORDS, 9)]
    n = len(texts)
    questions, answers = (i.ravel() for i in np.indices((n, n)))
    found = features.pairs(texts, questions, answers)
    assert found.shape == (n * n, 4)
    assert found.dtype == np.float32
    for q, a, values in zip(questions, answers, found, strict=True):
        expected = []
        for drop_stop_words in (False, True):
            sides = []
            for tokens in (texts[q], texts[a]):
                side = []
                for word in tokens:
                    stop = word in STOP_WORDS
                    stop |= not any(c.isalpha() or c.isnumeric() for c in word)
                    if word not in side and not (drop_stop_words and stop):
                        side.append(word)
                sides.append(side)
            count, weight = Fraction(0), 0.0
            for word in sides[0]:
                if word in sides[1]:
                    df = sum(word in document for document in documents)
                    count += 1
                    weight += math.log(len(documents) / max(1, df))
            size = len(sides[0]) + len(sides[1]) or 1
            expected += [float(count / size), weight / size]
        np.testing.assert_allclose(values, expected, rtol=1e-6)
        assert (values[[0, 2]] <= 0.5).all()
        np.testing.assert_array_equal(features.pair(texts[q], texts[a]), values)


def test_other_texts_are_not_counted():
    features = OverlapFeatures({"a": 1}, 2)
    tokens = [["a"], None, ["a", "b"]]
    found = features.pairs(tokens, np.array([0]), np.array([2]))
    np.testing.assert_array_equal(found[0], features.pair(["a"], ["a", "b"]))


def test_no_pairs():
    none = np.zeros(0, np.int64)
    assert FEATURES.pairs(DOCUMENTS, none, none).shape == (0, 4)
    assert FEATURES.pairs([], none, none).shape == (0, 4)


def test_names_say_the_columns():
    assert FEATURES.names == (
        "overlap",
        "idf_overlap",
        "content_overlap",
        "content_idf_overlap",
    )


# === Stop words ===


def test_the_list_is_the_published_one():
    assert tuple(sorted(STOP_WORDS)) == tuple(
        sorted(bm25s.stopwords.STOPWORDS_EN_PLUS)
    )
    assert len(STOP_WORDS) == 179
    assert {"the", "wasn't", "yourselves"} <= STOP_WORDS


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("the", True),
        ("whale", False),
        ("wasn't", True),
        ("it", True),
        ("?", True),
        ("``", True),
        ("_", True),
        ("👩", True),
        ("\u0301", True),
        ("", True),
        ("3", False),
        ("²", False),
        ("½", False),
        ("٣", False),
        ("'s", False),
        ("漢", False),
    ],
)
def test_is_stop_word(word, expected):
    assert FEATURES.is_stop_word(word) is expected


IN_A_NEW_PROCESS = """
import keras_qa.text.overlap as overlap
words = [f"word{i}" for i in range(500)]
documents = [words[i:] for i in range(7, 300, 3)]
features = overlap.OverlapFeatures.fit(documents)
print(features.pair(words, words[5:]).tobytes().hex())
"""


def test_values_do_not_depend_on_the_order_of_sets():
    """And reading data starts no backend."""
    without = ("bm25s", "jax", "keras")
    found = {
        run_code(IN_A_NEW_PROCESS, without=without, PYTHONHASHSEED=seed)
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


# === Files ===


def test_save_and_load(tmp_path):
    features = OverlapFeatures({"漢\n": 2, "\ud83d": 1}, 3, ["é", "the"])
    features.save(tmp_path / "overlap.json")
    loaded = OverlapFeatures.load(tmp_path / "overlap.json")
    assert loaded.document_frequencies == {"漢\n": 2, "\ud83d": 1}
    assert loaded.documents == 3
    assert loaded.stop_words == {"é", "the"}


def test_files_of_equal_counts_are_equal(tmp_path):
    for name, documents in (("a", DOCUMENTS), ("b", DOCUMENTS[::-1])):
        OverlapFeatures.fit(documents).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        json.dumps({"documents": 1}),
        json.dumps({"documents": "1", "document_frequencies": {}}),
        json.dumps({"documents": 1, "document_frequencies": [1]}),
        json.dumps({"documents": 1, "document_frequencies": {"a": 2}}),
        json.dumps({"documents": 1, "document_frequencies": {"a": None}}),
    ],
)
def test_other_files(tmp_path, content):
    path = tmp_path / "overlap.json"
    path.write_text(content)
    with pytest.raises(
        DatasetError, match=r"overlap\.json: expected what `Ove.* Received: "
    ):
        OverlapFeatures.load(path)


# === Errors ===


@pytest.mark.parametrize(
    ("frequencies", "documents", "message"),
    [
        ({}, 0, r"`documents` must be at least 1. Received: documents=0"),
        ({"a": 0}, 2, r"from 1 to documents=2. Received: 0 for 'a'"),
        ({"a": 1, "b": 3}, 2, r"from 1 to documents=2. Received: 3 for 'b'"),
    ],
)
def test_errors(frequencies, documents, message):
    with pytest.raises(ValueError, match=message):
        OverlapFeatures(frequencies, documents)


def test_strings_are_no_tokens():
    with pytest.raises(ValueError, match="the string 'who wrote'"):
        OverlapFeatures.fit(["who wrote"])
    with pytest.raises(ValueError, match="the string 'who wrote'"):
        OverlapFeatures({"who": 1}, 1).pair("who wrote", ["who"])


def test_no_documents():
    with pytest.raises(ValueError, match="`documents` must be at least 1"):
        OverlapFeatures.fit([])


def test_pairs_must_match():
    with pytest.raises(ValueError, match="Received: 1 questions, 2 answers"):
        FEATURES.pairs(DOCUMENTS, np.array([0]), np.array([1, 2]))
