"""Tokenisers, in pure Python.

All rules are about single code points (a lower-case table and five classes).
`keras_qa.export.text_graph` implements the same rules in a TensorFlow graph, so
that an exported model reads text exactly as in training.
"""

import re
import unicodedata
from functools import cache

from keras_qa.arguments import check_choice

TOKENIZERS = ("whitespace", "word", "whitespace-num", "word-num")

NUMBER = "num"
"""The word that the tokenisers in `-num` put in place of each number."""

# Chinese characters, each a token: there is no space between words. As ranges
# of a bracket expression.
_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_IDEOGRAPH = re.compile(f"[{_IDEOGRAPHS}]")
# The planes that have marks, such as accents and vowel signs.
_PLANES_OF_MARKS = (*range(0x20000), *range(0xE0000, 0xF0000))

# Groups of digits with a sign or mark between them, and optionally one before
# them, as in 1,000, 1993-94, .08, '94 and -5. Not 20% or $5, each two tokens in
# `word`, and nothing with a letter: 1st, 1990s, 10m.
NUMBER_TOKEN = re.compile(r"[.'’+\-]?\d+(?:[.,:/\-]\d+)*")
# Surrogates, which UTF-8 cannot encode, and Unicode's 66 noncharacters, which
# some versions of TensorFlow replace.
_NO_CHARACTER = re.compile(
    "[\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(p << 16 | c) for p in range(17) for c in (0xFFFE, 0xFFFF))
    + "]"
)


def well_formed(text: str) -> str:
    """Replaces each surrogate and each noncharacter by U+FFFD."""
    return _NO_CHARACTER.sub("\ufffd", text)


def lower_case(text: str) -> str:
    """Lower-cases each code point independently of its neighbours.

    It differs from `str.lower` in two cases: a capital sigma at the end of a
    word becomes `σ`, not `ς`, and `İ` becomes a plain `i`, without the
    combining dot. Surrogates and noncharacters become U+FFFD.

    Args:
        text: any string.

    Returns:
        A string of the same length.
    """
    if text.isascii():
        return text.lower()
    return well_formed(text).replace("Σ", "σ").replace("İ", "i").lower()


def is_mark(character: str) -> bool:
    """True for what belongs to the letter before it, such as a vowel sign."""
    return unicodedata.category(character).startswith("M")


def is_letter(character: str) -> bool:
    """True for a letter or digit, but a Chinese character."""
    return character.isalnum() and not _IDEOGRAPH.match(character)


@cache
def word_regex() -> re.Pattern[str]:
    """What is a token of the tokeniser `"word"`.

    A number with inner punctuation (3.5, 12:30, 1/2/2003); a word or number
    with inner apostrophes and hyphens, with the marks of its letters; or any
    other single character that is not white space. Only white space is dropped.
    """
    codes = {code for code in _PLANES_OF_MARKS if is_mark(chr(code))}
    first = (chr(code) for code in sorted(codes) if code - 1 not in codes)
    last = (chr(code) for code in sorted(codes) if code + 1 not in codes)
    marks = "".join(f"{a}-{b}" for a, b in zip(first, last, strict=True))
    letter = rf"[^\W_{_IDEOGRAPHS}]"
    return _token(f"{letter}+(?:[{marks}]+{letter}*)*", f"_{_IDEOGRAPHS}")


def _token(word: str, alone: str) -> re.Pattern[str]:
    return re.compile(
        rf"\d+(?:[.,:/]\d+)+|{word}(?:['’\-]{word})*|[^\w\s]|[{alone}]"
    )


# The same for ASCII, in half the time.
_ASCII_TOKEN = _token(r"[^\W_]+", "_")


def tokenize(text: str, tokenizer: str = "word") -> list[str]:
    """Splits a text into lower-case tokens.

    The classes of characters are those of Python's `re` and `str`, hence of
    the Unicode version of the running Python (`unicodedata.unidata_version`).

    Args:
        text: any string; may be empty.
        tokenizer: `"whitespace"` splits on Unicode white space only; `"word"`
            also separates punctuation and symbols, one token each, but does
            not split numbers such as `3.5` and words such as `don't` and
            `x-ray`; a Chinese character is one token. `"whitespace-num"` and
            `"word-num"` split in the same way and then replace each token that
            is a number by `NUMBER`, as in the texts of Table 4 of IAM (Wu and
            Hao).

    Returns:
        The tokens, in order.

    Raises:
        ValueError: if `tokenizer` is not one of `TOKENIZERS`.

    Example:
        >>> tokenize("Who wrote Moby-Dick, in 1851?")
        ['who', 'wrote', 'moby-dick', ',', 'in', '1851', '?']
        >>> tokenize("Who wrote Moby-Dick, in 1851?", "whitespace")
        ['who', 'wrote', 'moby-dick,', 'in', '1851?']
        >>> tokenize("Who wrote Moby-Dick, in 1851?", "word-num")
        ['who', 'wrote', 'moby-dick', ',', 'in', 'num', '?']
    """
    check_choice("tokenizer", tokenizer, TOKENIZERS)
    splitter, _, numbers = tokenizer.partition("-")
    lowered = lower_case(text)
    if splitter == "whitespace":
        tokens = lowered.split()
    else:
        regex = _ASCII_TOKEN if lowered.isascii() else word_regex()
        tokens = regex.findall(lowered)
    if numbers:
        return [NUMBER if NUMBER_TOKEN.fullmatch(t) else t for t in tokens]
    return tokens
