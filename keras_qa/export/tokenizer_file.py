"""Tokenisers as files of the package `tokenizers`, for use without keras_qa.

A file maps texts to the ids that `TextReading` gives them, padded at the end.
It contains the character classes of the running Python and the lower case of
the vocabulary's characters, so that it depends on no Unicode tables.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keras_qa.text.characters import character_class
from keras_qa.text.characters import character_ranges
from keras_qa.text.characters import lower_case_table
from keras_qa.text.characters import no_word_follows
from keras_qa.text.characters import number_pattern
from keras_qa.text.characters import plain_word_pattern
from keras_qa.text.characters import word_pattern
from keras_qa.text.reading import TextReading
from keras_qa.text.sides import SIDES
from keras_qa.text.tokenizer import NUMBER
from keras_qa.text.tokenizer import is_letter
from keras_qa.text.tokenizer import lower_case
from keras_qa.text.vocabulary import PADDING_ID
from keras_qa.text.vocabulary import UNKNOWN
from keras_qa.text.word_pieces import WORD_PIECES
from keras_qa.text.word_pieces import make_word_pieces

TOKENIZERS = {side: f"{side}_tokenizer.json" for side in SIDES}
"""The files of `save_tokenizers`."""


def save_tokenizers(
    folder: Path,
    tokenizer: Any,
    max_length: Mapping[str, int | None],
    widths: Mapping[str, int | None],
) -> None:
    """Writes `question_tokenizer.json` and `answer_tokenizer.json`.

    `tokenizers.Tokenizer.from_file` loads them; `encode_batch` returns rows of
    equal length. Without a fixed width, each text is followed by at least one
    padding id, so that a batch of empty texts has a column.

    Args:
        folder: an existing folder.
        tokenizer: what `make_tokenizer` returned.
        max_length: number of tokens that texts are cut to, by side, or None.
        widths: the fixed length of the model's inputs, by side, or None.
    """
    from tokenizers.processors import TemplateProcessing

    for side in SIDES:
        longest, width = max_length[side], widths.get(side)
        if width is None:
            tokenizer.post_processor = TemplateProcessing(
                single=f"$A {_PAD}", special_tokens=[(_PAD, PADDING_ID)]
            )
            longest = longest and longest + 1
        else:
            longest = min(longest or width, width)
        tokenizer.no_truncation()
        if longest is not None:
            tokenizer.enable_truncation(longest)
        tokenizer.enable_padding(
            pad_id=PADDING_ID, pad_token=_PAD, length=width
        )
        tokenizer.save(str(folder / TOKENIZERS[side]))


def make_tokenizer(reading: TextReading) -> Any:
    """A `tokenizers.Tokenizer` with the ids of a reading, without cutting.

    Args:
        reading: how the model reads text.

    Raises:
        ImportError: if tokenizers is not installed.
    """
    if reading.tokenizer in WORD_PIECES:
        return make_word_pieces(reading.tokenizer, reading.vocabulary)
    try:
        from tokenizers import Regex
        from tokenizers import Tokenizer
        from tokenizers import models
        from tokenizers import normalizers
        from tokenizers import pre_tokenizers
    except ImportError as error:
        raise ImportError(
            "Writing ONNX needs tokenizers: pip install 'keras-qa[onnx]'"
        ) from error
    # A word in capital letters is never met, as texts are in lower case. The
    # names of the buckets are kept for readers that can hash unknown words.
    vocabulary = reading.vocabulary
    ids = {
        word: i
        for i, word in enumerate(vocabulary.words)
        if not vocabulary.known[i] or lower_case(word) == word
    }
    met = {c for word in ids for c in (*word, *lower_case(word))}
    steps = [
        normalizers.Replace(upper, lower) for upper, lower in _lower_cases(met)
    ]
    splitter, _, numbers = reading.tokenizer.partition("-")
    if numbers and splitter == "word":
        steps.append(normalizers.Replace(Regex(_number_word()), f" {NUMBER} "))
    elif numbers:
        steps.append(normalizers.Replace(Regex(_number_alone()), NUMBER))
    made = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    made.normalizer = normalizers.Sequence(steps)
    tokens = word_pattern() if splitter == "word" else _not_space() + "+"
    made.pre_tokenizer = pre_tokenizers.Split(
        Regex(tokens), "removed", invert=True
    )
    return made


# No text contains it: brackets are separated, or all is lower case.
_PAD = "[PAD]"


def _lower_cases(known: set[str]) -> list[tuple[str, str]]:
    """The characters whose lower case is among the known ones, and this.

    The class of a character, and so where tokens begin and end, is that of its
    lower case; a token with any other character is unknown either way.
    """
    return [
        (chr(upper), chr(lower))
        for upper, lower in zip(*lower_case_table(), strict=True)
        if chr(lower) in known
    ]


def _not_space() -> str:
    return f"[^{character_ranges(str.isspace)}]"


def _number_alone() -> str:
    """A number between white space."""
    return rf"(?<!{_not_space()})(?:{number_pattern()})(?!{_not_space()})"


def _number_word() -> str:
    r"""The next token of `word_pattern` that is a number.

    From the end of the last one (`\G`), tokens that are no numbers are passed
    over one by one and kept (`\K`), since what precedes a digit decides
    whether it begins a token.
    """
    digit = character_class(str.isdecimal)
    number = (
        rf"(?:{digit}+(?:[.,:/]{digit}+)+"
        rf"|{digit}+(?:-{digit}+)*{no_word_follows()})"
    )
    other = rf"(?>{plain_word_pattern()}|[^{character_ranges(is_letter)}])"
    return rf"\G(?:(?!{number}){other})*+\K{number}"
