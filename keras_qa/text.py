"""The tokeniser and the vocabulary as TensorFlow graph operations.

Only operations of TensorFlow itself are used, and every Unicode table is
taken from the running Python and stored in the graph as a constant: what
`keras_qa.datasets.tokenizer` does in training, a SavedModel does on any
machine, whatever its versions of Python, ICU and RE2.
"""

import sys
from collections.abc import Callable
from collections.abc import Sequence
from functools import cache

import numpy as np
import tensorflow as tf

from keras_qa.datasets.tokenizer import TOKENIZERS
from keras_qa.datasets.tokenizer import lower_case
from keras_qa.datasets.vocabulary import PADDING
from keras_qa.datasets.vocabulary import UNKNOWN
from keras_qa.datasets.vocabulary import UNKNOWN_ID


@cache
def _lower_case_table() -> tuple[np.ndarray, np.ndarray]:
    """The code points that change in lower case, sorted, and their images."""
    changed = [
        (code, ord(lower_case(chr(code))))
        for code in range(sys.maxunicode + 1)
        if not 0xD800 <= code < 0xE000 and lower_case(chr(code)) != chr(code)
    ]
    upper, lower = np.array(changed, dtype=np.int32).T
    return upper, lower


@cache
def _ranges(is_member: Callable[[str], bool]) -> str:
    """A class of characters as the inside of an RE2 bracket expression."""
    member = np.fromiter(
        (is_member(chr(code)) for code in range(sys.maxunicode + 1)),
        dtype=np.int8,
    )
    steps = np.diff(member, prepend=np.int8(0), append=np.int8(0))
    first, after = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return "".join(
        rf"\x{{{start:x}}}-\x{{{end - 1:x}}}"
        for start, end in zip(first, after, strict=True)
    )


def _word_pattern() -> str:
    """The pattern of `tokenizer.tokenize` without classes that vary."""
    digit = f"[{_ranges(str.isdecimal)}]"
    word = f"[{_ranges(str.isalnum)}]"
    other = f"[^{_ranges(str.isalnum)}{_ranges(str.isspace)}]"
    return (
        rf"{digit}+(?:[.,:/]{digit}+)+"
        rf"|{word}+(?:['’\-]{word}+)*"
        rf"|{other}"
    )


def lower_case_in_graph(texts: tf.Tensor) -> tf.Tensor:
    """Lower-cases each code point by itself, as `tokenizer.lower_case` does.

    Args:
        texts: string tensor of shape `(n,)`, UTF-8. A byte sequence that is
            not UTF-8 becomes U+FFFD, as in `bytes.decode("utf-8", "replace")`.

    Returns:
        String tensor of shape `(n,)`, valid UTF-8.
    """
    upper, lower = _lower_case_table()
    codes = tf.strings.unicode_decode(texts, "UTF-8", errors="replace")
    values = codes.flat_values
    place = tf.minimum(tf.searchsorted(upper, values), len(upper) - 1)
    changes = tf.equal(tf.gather(upper, place), values)
    values = tf.where(changes, tf.gather(lower, place), values)
    return tf.strings.unicode_encode(codes.with_flat_values(values), "UTF-8")


def tokenize_in_graph(
    texts: tf.Tensor, tokenizer: str = "word"
) -> tf.RaggedTensor:
    """Splits texts into lower-case tokens, as `tokenizer.tokenize` does.

    Args:
        texts: string tensor of shape `(n,)`, UTF-8.
        tokenizer: one of `tokenizer.TOKENIZERS`.

    Returns:
        Ragged string tensor of shape `(n, None)`.

    Raises:
        ValueError: if `tokenizer` is unknown.
    """
    if tokenizer not in TOKENIZERS:
        raise ValueError(
            f"`tokenizer` must be one of {TOKENIZERS}. "
            f"Received: tokenizer={tokenizer!r}"
        )
    texts = lower_case_in_graph(texts)
    if tokenizer == "word":
        texts = tf.strings.regex_replace(texts, _word_pattern(), r"\0 ")
    white_space = f"[{_ranges(str.isspace)}]+"
    texts = tf.strings.regex_replace(texts, white_space, " ")
    # With its default separator, `split` would ask the C library's locale
    # what white space is.
    pieces = tf.strings.split(texts, sep=" ")
    return tf.ragged.boolean_mask(pieces, pieces != "")


class TextEncoder(tf.Module):
    """Texts to padded ids, in the graph.

    Args:
        words: the words by their ids, as `Vocabulary.words`: first `""` for
            padding, then `"[UNK]"` for unknown words.
        tokenizer: one of `tokenizer.TOKENIZERS`.
        max_length: texts are cut to so many tokens; `None` keeps them whole.
        width: number of columns of the result, for a model that takes one
            fixed length; `None` makes it as wide as the longest text.

    Call arguments:
        texts: string tensor of shape `(n,)`, UTF-8.

    Output:
        int32 tensor of shape `(n, width)`, 0 after the end of a text; `width`
        is at least 1, also when no text has a token.

    Raises:
        ValueError: if an argument is not as described.
    """

    def __init__(
        self,
        words: Sequence[str],
        tokenizer: str = "word",
        max_length: int | None = None,
        width: int | None = None,
    ):
        super().__init__()
        words = list(words)
        if words[:2] != [PADDING, UNKNOWN]:
            raise ValueError(
                f"`words` must begin with {PADDING!r} (padding) and "
                f"{UNKNOWN!r} (unknown words). Received: {words[:2]}"
            )
        if len(set(words)) != len(words):
            raise ValueError(
                "`words` must be distinct. "
                f"Received: {len(words)} words, {len(set(words))} distinct"
            )
        for name, length in (("max_length", max_length), ("width", width)):
            if length is not None and length < 1:
                raise ValueError(
                    f"`{name}` must be at least 1. Received: {name}={length}"
                )
        self.tokenizer = tokenizer
        self.max_length = max_length
        self.width = width
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(
                tf.constant([word.encode("utf-8") for word in words]),
                tf.range(len(words), dtype=tf.int32),
            ),
            default_value=UNKNOWN_ID,
        )

    def __call__(self, texts: tf.Tensor) -> tf.Tensor:
        tokens = tokenize_in_graph(texts, self.tokenizer)
        if self.max_length is not None:
            tokens = tokens[:, : self.max_length]
        ids = self.table.lookup(tokens)
        if self.width is not None:
            return ids.to_tensor(shape=(None, self.width))
        padded = ids.to_tensor()
        missing = tf.maximum(0, 1 - tf.shape(padded)[1])
        return tf.pad(padded, [[0, 0], [0, missing]])
