"""Tokenizer files give the ids of `TextReading`, on all Unicode planes."""

import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_qa.export.tokenizer_file import make_tokenizer
from keras_qa.export.tokenizer_file import save_tokenizers
from keras_qa.text.characters import character_ranges
from keras_qa.text.characters import lower_case_table
from keras_qa.text.reading import TextReading
from keras_qa.text.tokenizer import TOKENIZERS
from keras_qa.text.tokenizer import is_letter
from keras_qa.text.tokenizer import is_mark
from keras_qa.text.vocabulary import Vocabulary
from keras_qa.text.vocabulary import pad
from support import export_checks

tokenizers = pytest.importorskip("tokenizers")
pytestmark = pytest.mark.once

# Words that no text contains, too: capital letters and a noncharacter.
WORDS = [
    *("who", "wrote", "emma", "don't", "x-ray", "12a", "1990s", "num"),
    *("σοφος", "ñandú", "straße", "i", "k", "a", "b", "\u0264", "\ufffd"),
    *("\U0001fae8", "\U00010428", ".", ",", "-", "'", "’", "3", "3.5", "12-3"),
    *("5,", "it.", "Emma", "K", "\uffff", "x y"),
]
# What decides where tokens begin and end, and whether they are numbers.
PIECES = [
    *"aA1٣5.,:/-'’+ _\t\x1c\u00a0\u3000",
    *(
        "İ",
        "Σ",
        "ς",
        "\u212a",
        "É",
        "e\u0301",
        "\u0301",
        "漢",
        "\ufdd0",
        "\U0001ffff",
    ),
    *(
        "\U0001ffff",
        "\U00010400",
        "\ua7cb",
        "\U0001fae8",
        "num",
        "[PAD]",
        "[UNK]",
        "3.5",
    ),
    *("-12", "12a", "x-ray", " EMMA ", "don't"),
]
UTF8 = st.characters(exclude_categories=["Cs"])
TEXTS = st.lists(
    st.one_of(st.sampled_from(PIECES), st.sampled_from(WORDS), UTF8),
    max_size=30,
).map("".join)


@pytest.fixture(scope="module")
def readings():
    """By the name of the tokenizer, the reading and its file."""
    made = [TextReading(Vocabulary(WORDS), name) for name in TOKENIZERS]
    return [(reading, make_tokenizer(reading)) for reading in made]


def check(reading, tokenizer, texts):
    found = tokenizer.encode_batch(texts)
    for text, encoded in zip(texts, found, strict=True):
        ids = reading.vocabulary.encode(reading.tokens("answer", text))
        assert encoded.ids == ids.tolist(), (reading.tokenizer, text)


@settings(max_examples=600, deadline=None, derandomize=True)
@given(TEXTS)
def test_fuzzed_texts(readings, text):
    for reading, tokenizer in readings:
        check(reading, tokenizer, [text])


def check_characters(readings, every):
    """Each alone, and where it might join what stands around it."""
    parts = [f"a{c}b 1{c}5 {c}" for c in every if not "\ud800" <= c < "\ue000"]
    texts = [" ".join(parts[i : i + 64]) for i in range(0, len(parts), 64)]
    for reading, tokenizer in readings:
        check(reading, tokenizer, texts)


def test_where_classes_of_characters_begin_and_end(readings):
    ends = set(range(0, sys.maxunicode, 997))
    for is_member in (is_letter, is_mark, str.isdecimal, str.isspace):
        for code in re.findall(r"\w+(?=\})", character_ranges(is_member)):
            ends |= {int(code, 16) + step for step in (-1, 0, 1)}
    check_characters(readings, [chr(code) for code in sorted(ends)])


def test_unknown_words_are_one_here_though_buckets_tell_them_apart():
    reading = TextReading(Vocabulary(["who"], oov_buckets=9), "whitespace")
    tokenizer = make_tokenizer(reading)
    encoded = tokenizer.encode("who wrote emma [UNK1] [unk]")
    assert encoded.ids == [2, 1, 1, 1, 1]
    assert tokenizer.token_to_id("[UNK9]") == len(reading.vocabulary) - 1


@pytest.mark.large
def test_every_character_of_every_plane(readings):
    check_characters(readings, [chr(c) for c in range(sys.maxunicode + 1)])


def test_every_character_that_has_a_lower_case():
    """With all of these in the vocabulary."""
    upper, lower = ([*map(chr, codes)] for codes in lower_case_table())
    reading = TextReading(Vocabulary(dict.fromkeys(lower)), "word")
    check(reading, make_tokenizer(reading), [" ".join(upper), "".join(upper)])


def test_a_long_text(readings):
    for reading, tokenizer in readings:
        check(reading, tokenizer, ["who 3.5a 12-3 x-ray-7.5 " * 4000, "-" * 9])


@pytest.mark.parametrize("width", [None, 4])
def test_files_cut_and_pad(tmp_path, width):
    reading = TextReading(Vocabulary(WORDS), "word", 3, None)
    save_tokenizers(
        tmp_path,
        make_tokenizer(reading),
        reading.max_length,
        {"question": width, "answer": width},
    )
    texts = ["who wrote emma , who ?", "emma [PAD]", ""]
    for side, longest in (("question", 3), ("answer", width)):
        loaded = tokenizers.Tokenizer.from_file(
            str(tmp_path / f"{side}_tokenizer.json")
        )
        ids = np.array([e.ids for e in loaded.encode_batch(texts)])
        expected = pad(
            [reading.vocabulary.encode(reading.tokens(side, t)) for t in texts],
            longest,
        )
        if width is None:
            assert (ids[:, -1] == 0).all()
        else:
            assert ids.shape[1] == width
        size = min(ids.shape[1], expected.shape[1])
        np.testing.assert_array_equal(ids[:, :size], expected[:, :size])
        assert not ids[:, size:].any() and not expected[:, size:].any()
        (empty,) = loaded.encode_batch([""])
        assert len(empty.ids) == (width or 1)


def test_the_lines_of_the_page_hash_unknown_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reading = TextReading(Vocabulary(["who", "Emma"], oov_buckets=97), "word")
    (tmp_path / "ranker-onnx").mkdir()
    folder = tmp_path / "ranker-onnx"
    sides = dict.fromkeys(("question", "answer"))
    save_tokenizers(folder, make_tokenizer(reading), sides, sides)
    page = export_checks.PAGE.read_text("utf-8")
    _, _, lines = page.partition("```python\nimport numpy")
    code, _, _ = f"import numpy{lines}".partition("\nsession = ")
    space: dict = {}
    exec(code, space)
    texts = ["Who wrote Emma?", "ÉLAN İstanbul 普通话 हिन्दी", "x" * 99 + " who"]
    found = space["read"]("answer", texts)
    expected = reading.texts("answer", texts)
    assert [list(row[row > 0]) for row in found] == [list(x) for x in expected]
