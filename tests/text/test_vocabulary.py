"""Ids of unknown words, by pencil and by the words themselves."""

import re

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from keras_qa.errors import DatasetError
from keras_qa.text.vocabulary import HASH_BASE
from keras_qa.text.vocabulary import HASH_PRIME
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.text.vocabulary import bucket_of


def test_the_bucket_of_two_letters_by_pencil():
    # "a" is 97, "b" is 98; 1,000,003 squared is 1,000,006,000,009, which is
    # 465 (2^31 - 1) + 1,426,104,154. So the sum is 97,000,291 +
    # 139,758,207,092 = 139,855,207,383, or 65 (2^31 - 1) + 268,770,328.
    assert bucket_of("ab", 1000) == 328


@hypothesis.given(st.text(max_size=80), st.integers(1, 5000))
def test_buckets_are_those_of_the_formula(word, buckets):
    total = sum(ord(c) * HASH_BASE ** (i + 1) for i, c in enumerate(word[:64]))
    assert bucket_of(word, buckets) == total % HASH_PRIME % buckets


def test_equal_unknown_words_have_equal_ids_at_the_end():
    vocabulary = Vocabulary(["who", "wrote"], oov_buckets=1000)
    assert len(vocabulary) == 2 + 2 + 1000
    ids = vocabulary.encode(["who", "austen", "wrote", "emma", "austen"])
    assert ids.dtype == np.int32
    assert ids[[0, 2]].tolist() == [2, 3]
    assert ids[1] == ids[4] != ids[3]
    assert (ids[[1, 3]] >= 4).all()
    assert not vocabulary.known[ids[[1, 3]]].any()
    assert vocabulary.known[[2, 3]].all()
    assert "who" in vocabulary
    assert "austen" not in vocabulary
    assert "[UNK1]" not in vocabulary


def test_strings_are_no_texts():
    with pytest.raises(ValueError, match="the string 'who wrote emma'"):
        Vocabulary.from_tokens(["who wrote emma"])
    with pytest.raises(ValueError, match="the string 'who'"):
        Vocabulary(["who"]).encode("who")


def test_line_ends_of_windows_are_named(tmp_path):
    path = tmp_path / "vocabulary.txt"
    path.write_bytes(b"who\r\nwrote\r\n")
    with pytest.raises(DatasetError, match=r":1: .* a newline alone"):
        Vocabulary.load(path)


def test_ten_thousand_words_fill_the_buckets_evenly():
    words = [f"word{i}" for i in range(10_000)]
    counts = np.bincount([bucket_of(w, 100) for w in words], minlength=100)
    # 100 words each on average, with a deviation of 10 if by chance.
    assert counts.min() > 50 and counts.max() < 150


@pytest.mark.parametrize("buckets", [0, 1, 3])
def test_a_file_keeps_the_buckets(tmp_path, buckets):
    before = Vocabulary(["who", "straße"], buckets)
    before.save(tmp_path / "words")
    after = Vocabulary.load(tmp_path / "words")
    assert after.words == before.words
    assert after.oov_buckets == buckets
    tokens = ["who", "straße", "?"]
    assert (after.encode(tokens) == before.encode(tokens)).all()


@pytest.mark.parametrize(
    "text", ["a\n[UNK2]\n", "[UNK2]\n", "[UNK2]\n[UNK1]\n[UNK3]\n"]
)
def test_lost_buckets_are_named(tmp_path, text):
    path = tmp_path / "words"
    path.write_text(text)
    lines = text.splitlines()
    message = (
        f"{re.escape(str(path))}:{len(lines)}: expected the names .UNK1. to "
        f"{re.escape(lines[-1])} at the end"
    )
    with pytest.raises(DatasetError, match=message):
        Vocabulary.load(path)


@pytest.mark.parametrize("word", ["[UNK1]", "a\nb"])
def test_a_word_that_a_file_could_not_keep_is_refused(word):
    with pytest.raises(DatasetError, match="`words` must be without line ends"):
        Vocabulary(["a", word])
    with pytest.raises(ValueError, match="`oov_buckets` must not be neg"):
        Vocabulary(["a"], oov_buckets=-1)
    assert Vocabulary.from_tokens([["a", "[UNK1]"]]).words[2:] == ["a"]
