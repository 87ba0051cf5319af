"""The word pieces that models with a BERT read, split by `tokenizers`.

The vocabulary decides how a word is split, so that these tokenisers, unlike
those of `keras_qa.text.tokenizer`, need one.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from keras_qa.arguments import check_choice
from keras_qa.text.tokenizer import TOKENIZERS
from keras_qa.text.tokenizer import tokenize
from keras_qa.text.tokenizer import well_formed
from keras_qa.text.vocabulary import PADDING
from keras_qa.text.vocabulary import UNKNOWN
from keras_qa.text.vocabulary import Vocabulary

WORD_PIECES = ("wordpiece", "wordpiece-cased")
"""BERT's tokenisers: in lower case without accents, and with both."""

READERS = (*TOKENIZERS, *WORD_PIECES)
"""All tokenisers of models."""

PREFIX = "##"
"""What the pieces of a word but the first begin with."""

LONGEST_WORD = 100
"""The characters of the longest word that BERT splits, and does not drop."""


def word_tokenizer(tokenizer: str) -> str:
    """A tokeniser that needs no vocabulary: `"word"` in place of pieces.

    Args:
        tokenizer: one of `READERS`.
    """
    return "word" if tokenizer in WORD_PIECES else tokenizer


def text_splitter(
    tokenizer: str, vocabulary: Vocabulary | None = None
) -> Callable[[str], list[str]]:
    """A function that splits a text into tokens.

    Args:
        tokenizer: one of `READERS`.
        vocabulary: the pieces, for a tokeniser of `WORD_PIECES`.

    Raises:
        ImportError: if word pieces are asked for and `tokenizers` is not
            installed.
        ValueError: if `tokenizer` is unknown, or has no vocabulary.

    Example:
        >>> pieces = Vocabulary(["who", "wrote", "emma", "##s", "?"])
        >>> text_splitter("wordpiece", pieces)("Who wrote Emmas?")
        ['who', 'wrote', 'emma', '##s', '?']
    """
    check_choice("tokenizer", tokenizer, READERS)
    if tokenizer not in WORD_PIECES:
        return partial(tokenize, tokenizer=tokenizer)
    if vocabulary is None:
        raise ValueError(
            "`vocabulary` must be that of a BERT for word pieces, which it "
            f"decides. Received: tokenizer={tokenizer!r}, vocabulary=None"
        )
    return partial(_split, make_word_pieces(tokenizer, vocabulary))


def make_word_pieces(tokenizer: str, vocabulary: Vocabulary) -> Any:
    """A `tokenizers.Tokenizer` with the ids of a vocabulary, without cutting.

    It splits as BERT does: control characters are dropped, each punctuation
    mark and Chinese character is a word, and a word is the longest piece that
    it begins with, the longest of the rest, and so on. A word that cannot be
    split so, or is too long, is `[UNK]`. No text gives a special token, such as
    `[SEP]`, whose brackets are words.

    Args:
        tokenizer: one of `WORD_PIECES`.
        vocabulary: the pieces.

    Raises:
        ImportError: if `tokenizers` is not installed.

    Reference: Devlin et al., 2019, "BERT: Pre-training of Deep Bidirectional
    Transformers for Language Understanding", section 3.
    """
    try:
        from tokenizers import Tokenizer
        from tokenizers.models import WordPiece
        from tokenizers.normalizers import BertNormalizer
        from tokenizers.pre_tokenizers import BertPreTokenizer
    except ImportError as error:
        raise ImportError(
            "Word pieces need tokenizers: pip install 'keras-qa[bert]'"
        ) from error
    uncased = tokenizer == WORD_PIECES[0]
    ids = {word: i for i, word in enumerate(vocabulary.words)}
    del ids[PADDING]
    made = Tokenizer(
        WordPiece(
            ids,
            unk_token=UNKNOWN,
            continuing_subword_prefix=PREFIX,
            max_input_chars_per_word=LONGEST_WORD,
        )
    )
    made.normalizer = BertNormalizer(lowercase=uncased, strip_accents=uncased)
    made.pre_tokenizer = BertPreTokenizer()
    return made


def _split(tokenizer: Any, text: str) -> list[str]:
    return tokenizer.encode(well_formed(text)).tokens
