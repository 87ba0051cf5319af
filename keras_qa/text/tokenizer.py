"""Text to tokens, in pure Python.

Every rule here is one of single code points (a lower-case table and three
classes), so that `keras_qa.export.text_graph` can state the same rules in a
TensorFlow graph, and an exported model reads text exactly as it was read in
training.
"""

import re

from keras_qa.arguments import check_choice

TOKENIZERS = ("whitespace", "word", "whitespace-num", "word-num")

NUMBER = "num"
"""The word that the tokenisers in `-num` put in place of each number."""

# A number with inner punctuation (3.5, 12:30, 1/2/2003); a word or number,
# with inner apostrophes and hyphens; any other character that is not white
# space, alone. So nothing but white space falls between two tokens.
WORD = re.compile(
    r"\d+(?:[.,:/]\d+)+"
    r"|[^\W_]+(?:['’\-][^\W_]+)*"
    r"|[^\w\s]|_"
)
# Groups of digits with a sign or mark between them, and perhaps one before
# them, as in 1,000, 1993-94, .08, '94 and -5. Not 20% or $5, of which `word`
# makes two tokens, and nothing with a letter: 1st, 1990s, 10m.
NUMBER_TOKEN = re.compile(r"[.'’+\-]?\d+(?:[.,:/\-]\d+)*")
# Surrogates and the 66 code points that Unicode sets aside as noncharacters:
# UTF-8 cannot encode the former, and some versions of TensorFlow replace the
# latter.
_NO_CHARACTER = re.compile(
    "[\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(p << 16 | c) for p in range(17) for c in (0xFFFE, 0xFFFF))
    + "]"
)


def well_formed(text: str) -> str:
    """Puts U+FFFD in place of each surrogate and each noncharacter."""
    return _NO_CHARACTER.sub("\ufffd", text)


def lower_case(text: str) -> str:
    """Lower-cases each code point by itself, whatever its neighbours.

    `str.lower` looks at more than one code point in two cases, which are
    settled first: a capital sigma at the end of a word becomes `σ`, not `ς`,
    and `İ` becomes a plain `i`, without the combining dot. Surrogates and
    noncharacters become U+FFFD.

    Args:
        text: any string.

    Returns:
        A string of the same length.
    """
    if text.isascii():
        return text.lower()
    return well_formed(text).replace("Σ", "σ").replace("İ", "i").lower()


def tokenize(text: str, tokenizer: str = "word") -> list[str]:
    """Splits a text into lower-case tokens.

    The classes of characters are those of Python's `re` and `str`, hence of
    the Unicode version of the running Python (`unicodedata.unidata_version`).

    Args:
        text: any string; may be empty.
        tokenizer: `"whitespace"` splits on Unicode white space only; `"word"`
            also separates punctuation and symbols, one token each, but keeps
            numbers such as `3.5` and words such as `don't` and `x-ray` whole.
            `"whitespace-num"` and `"word-num"` split in the same way and then
            put `NUMBER` in place of each token that is a number: the texts
            that IAM (Wu and Hao) shows in its Table 4 read so.

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
    tokens = WORD.findall(lowered) if splitter == "word" else lowered.split()
    if numbers:
        return [NUMBER if NUMBER_TOKEN.fullmatch(t) else t for t in tokens]
    return tokens
