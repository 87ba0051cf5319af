"""The tokenisers' patterns, written out, against Python's own classes."""

import re

import pytest

from keras_qa.text import tokenizer
from keras_qa.text.characters import character_ranges
from keras_qa.text.characters import lower_case_table
from keras_qa.text.characters import number_pattern
from keras_qa.text.characters import word_pattern

pytestmark = pytest.mark.once


def in_python(pattern):
    """Python writes the escapes of code points in another way."""
    return re.compile(
        re.sub(
            r"\\x\{(\w+)\}",
            lambda found: re.escape(chr(int(found[1], 16))),
            pattern,
        )
    )


def test_ranges_have_both_ends():
    assert (
        character_ranges(lambda c: c in "abcx") == r"\x{61}-\x{63}\x{78}-\x{78}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "a1.5-b c_’’d",
        "٣.٤ x-ray, don't 1,2-3",
        "e\u0301\u0301e's 漢字か \u0301 3\u0301",
    ],
)
def test_patterns_find_what_the_tokenisers_find(text):
    found = in_python(word_pattern()).findall(text)
    assert found == tokenizer.word_regex().findall(text)
    number = in_python(number_pattern())
    for token in found:
        assert bool(number.fullmatch(token)) == bool(
            tokenizer.NUMBER_TOKEN.fullmatch(token)
        )


def test_lower_case_keeps_the_class_of_each_character():
    """So tokens begin and end where they do in lower case."""
    for before, after in zip(*lower_case_table(), strict=True):
        upper, lower = chr(before), chr(after)
        assert lower == tokenizer.lower_case(upper)
        classes = tokenizer.is_letter, tokenizer.is_mark, str.isdecimal
        for is_member in (*classes, str.isspace):
            assert is_member(upper) == is_member(lower)
