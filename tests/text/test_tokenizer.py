"""The tokenisers on sentences and on the corners of Unicode."""

import sys

import pytest

from keras_qa.text.tokenizer import lower_case
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.tokenizer import well_formed


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \t\n\u3000\x85\x1c", []),
        ("Who wrote Emma?", ["who", "wrote", "emma", "?"]),
        ("I don't; it’s x-ray", ["i", "don't", ";", "it’s", "x-ray"]),
        ("'tis the boys' --", ["'", "tis", "the", "boys", "'", "-", "-"]),
        ("3.5 1,000,000 12:30 1/2/03", ["3.5", "1,000,000", "12:30", "1/2/03"]),
        ("3. 4th v2.0 10.5km", ["3", ".", "4th", "v2", ".", "0", "10.5", "km"]),
        ("a_b $5", ["a", "_", "b", "$", "5"]),
        ("٣٫٥ ٣.٥", ["٣", "٫", "٥", "٣.٥"]),
        ("漢字かな x", ["漢", "字", "かな", "x"]),
        ("e\u0301te\u0301 \u0301", ["e\u0301te\u0301", "\u0301"]),
        ("नमस्ते-दुनिया", ["नमस्ते-दुनिया"]),
        ("👩\u200d🔬!", ["👩", "\u200d", "🔬", "!"]),
        ("a\0b", ["a", "\0", "b"]),
    ],
)
def test_word(text, tokens):
    assert tokenize(text) == tokens


def test_whitespace():
    text = "Don't\tstop ,\u2003 NOW\u3000!\x85"
    assert tokenize(text, "whitespace") == ["don't", "stop", ",", "now", "!"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Vodka is 40 ethanol", ["vodka", "is", "num", "ethanol"]),
        ("1,000,000 3.5 12:30 1/2/03 1993-94", ["num"] * 5),
        (".08 '94 ’94 -5 +3", ["num"] * 5),
        ("٣.٥ 𝟗", ["num", "num"]),
        ("1st 1990s 10m 12-year-old", ["1st", "1990s", "10m", "12-year-old"]),
        ("$5 20% 3. ½ ²", ["$5", "20%", "3.", "½", "²"]),
        ("- . 1.-2 1..2 num", ["-", ".", "1.-2", "1..2", "num"]),
    ],
)
def test_numbers_become_one_word(text, tokens):
    assert tokenize(text, "whitespace-num") == tokens


def test_numbers_in_running_text():
    text = "It costs $5.50, 20% off: 10.5km (1993-94)."
    assert tokenize(text, "word-num") == [
        *("it", "costs", "$", "num", ",", "num", "%", "off", ":", "num"),
        *("km", "(", "num", ")", "."),
    ]
    replaced = {"5.50", "20", "10.5", "1993-94"}
    assert tokenize(text, "word-num") == [
        "num" if token in replaced else token for token in tokenize(text)
    ]


@pytest.mark.parametrize(
    ("text", "lowered"),
    [
        ("ΟΔΟΣ", "οδοσ"),
        ("İSTANBUL", "istanbul"),
        ("Straße ẞ", "straße ß"),
        ("ǅ", "ǆ"),
        ("\U00010400", "\U00010428"),
        ("\ud83d\ude00\uffff", "\ufffd\ufffd\ufffd"),
    ],
)
def test_lower_case(text, lowered):
    assert lower_case(text) == lowered


def test_lower_case_looks_at_one_code_point_at_a_time():
    text = "".join(map(chr, range(sys.maxunicode + 1)))
    lowered = lower_case(text)
    assert lowered == "".join(map(lower_case, text))
    # Apart from what is no character, it is Python's, one by one.
    exceptions = {
        a
        for a, b in zip(well_formed(text), lowered, strict=True)
        if a.lower() != b
    }
    assert exceptions == {"İ"}
    assert well_formed(text).count("\ufffd") == 1 + 2048 + 66


def test_only_white_space_falls_between_tokens():
    text = "".join(map(chr, range(sys.maxunicode + 1)))
    assert "".join(tokenize(text)) == "".join(lower_case(text).split())


def test_unknown_tokenizer():
    with pytest.raises(
        ValueError,
        match=r"`tokenizer` must be one of .*word.*Received: tokenizer='bpe'",
    ):
        tokenize("a", "bpe")
