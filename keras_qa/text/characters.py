"""The tokenisers' classes of characters, written out for other engines.

Regular-expression engines have Unicode tables of other versions than Python's.
With the code points of each class in the pattern, an exported model reads text
as in training, whatever the versions of Unicode.
"""

import sys
from collections.abc import Callable
from functools import cache

import numpy as np

from keras_qa.text.tokenizer import is_letter
from keras_qa.text.tokenizer import is_mark
from keras_qa.text.tokenizer import lower_case


@cache
def character_ranges(is_member: Callable[[str], bool]) -> str:
    """A class of characters as the content of a bracket expression.

    Args:
        is_member: returns True for each single character of the class.

    Returns:
        Ranges of code points, each as two hexadecimal escapes, which RE2 and
        Oniguruma read.
    """
    every = _every_character()
    member = np.fromiter(map(is_member, every), np.int8, len(every))
    steps = np.diff(member, prepend=np.int8(0), append=np.int8(0))
    first, after = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return "".join(
        rf"\x{{{start:x}}}-\x{{{end - 1:x}}}"
        for start, end in zip(first, after, strict=True)
    )


def character_class(is_member: Callable[[str], bool]) -> str:
    """A bracket expression; see `character_ranges`."""
    return f"[{character_ranges(is_member)}]"


def word_pattern() -> str:
    """`keras_qa.text.tokenizer.word_regex`, without classes by name."""
    digit = character_class(str.isdecimal)
    other = f"[^{character_ranges(is_letter)}{character_ranges(str.isspace)}]"
    return (
        rf"{digit}+(?:[.,:/]{digit}+)+"
        rf"|{plain_word_pattern()}"
        rf"|{other}"
    )


def plain_word_pattern() -> str:
    """The part of `word_pattern` that begins with a letter or digit."""
    letter, marked = character_class(is_letter), character_class(_is_in_word)
    return rf"{letter}{marked}*(?:['’\-]{letter}{marked}*)*"


def no_word_follows() -> str:
    """Asserts that a plain word of digits and hyphens does not go on."""
    letter, marked = character_class(is_letter), character_class(_is_in_word)
    return rf"(?!{marked}|['’\-]{letter})"


def number_pattern() -> str:
    """`keras_qa.text.tokenizer.NUMBER_TOKEN`, without classes by name."""
    digit = character_class(str.isdecimal)
    return rf"[.'’+\-]?{digit}+(?:[.,:/\-]{digit}+)*"


def _is_in_word(character: str) -> bool:
    return is_letter(character) or is_mark(character)


@cache
def lower_case_table() -> tuple[np.ndarray, np.ndarray]:
    """The code points that lower-casing changes, sorted, and their results.

    Surrogates are left out, which UTF-8 cannot encode.
    """
    every = _every_character()
    before, after = map(_code_points, (every, lower_case(every)))
    is_surrogate = (before >= 0xD800) & (before < 0xE000)
    changed = (before != after) & ~is_surrogate
    return before[changed], after[changed]


@cache
def _every_character() -> str:
    """Every code point, in order."""
    return "".join(map(chr, range(sys.maxunicode + 1)))


def _code_points(text: str) -> np.ndarray:
    encoded = text.encode("utf-32-le", "surrogatepass")
    return np.frombuffer(encoded, "<i4").astype(np.int32)
