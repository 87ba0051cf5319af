"""Vocabularies, which map words to integer ids, and padding of id sequences."""

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from functools import cached_property
from operator import mul
from pathlib import Path

import numpy as np

from keras_qa.arguments import check_collection
from keras_qa.arguments import check_not_negative
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import error_at

PADDING_ID = 0
UNKNOWN_ID = 1
PADDING = ""
UNKNOWN = "[UNK]"
# Of a text in lower case, no token is one of these names.
_BUCKET = "[UNK{}]"
_IS_BUCKET = re.compile(r"\[UNK([1-9][0-9]{0,6})\]")

# The hash of an unknown word, in 64 bits on any machine and in any language.
HASH_BASE = 1_000_003
HASH_PRIME = 2**31 - 1
HASHED_CHARACTERS = 64


def hash_powers() -> np.ndarray:
    """Powers 1 to 64 of `HASH_BASE`, modulo `HASH_PRIME`, int64 `(64,)`."""
    powers = [
        pow(HASH_BASE, i + 1, HASH_PRIME) for i in range(HASHED_CHARACTERS)
    ]
    return np.array(powers, dtype=np.int64)


def bucket_of(word: str, buckets: int) -> int:
    """The bucket of an unknown word, from 0: `sum_i c_i b^i mod p mod buckets`.

    `c_i` is the code point of the word's character i, from 1, of which the
    first 64 count, `b` is `HASH_BASE` and `p` is `HASH_PRIME`.
    """
    codes = map(ord, word[:HASHED_CHARACTERS])
    total = sum(map(mul, codes, _POWERS))
    return total % HASH_PRIME % buckets


_POWERS: list[int] = hash_powers().tolist()


class Vocabulary:
    """A mapping of words to ids: 0 is padding, 1 stands for unknown words.

    With buckets, an unknown word has one of the last ids, by its hash, in
    place of 1: equal unknown words have equal ids, and so match each other, and
    different ones rarely do.

    Args:
        words: the known words, without repetition, in the order of their ids;
            the first gets id 2.
        oov_buckets: number of ids that unknown words share; 0 gives all of
            them the id 1.

    Attributes:
        words: all words by their ids, including `""` (padding), `"[UNK]"`, and
            `"[UNK1]"` and so on for the buckets.
        oov_buckets: number of ids that unknown words share.

    Raises:
        DatasetError: if a word is empty, repeated, reserved, or of two lines.
        ValueError: if `oov_buckets` is negative.
    """

    def __init__(self, words: Iterable[str], oov_buckets: int = 0):
        check_not_negative(oov_buckets=oov_buckets)
        buckets = map(_BUCKET.format, range(1, oov_buckets + 1))
        self.oov_buckets = oov_buckets
        self.words = [PADDING, UNKNOWN, *words, *buckets]
        self._ids = {word: i for i, word in enumerate(self.words)}
        if len(self._ids) != len(self.words):
            (word, count), *_ = Counter(self.words).most_common(1)
            raise DatasetError(
                f"`words` must be distinct, not empty and not {UNKNOWN!r}. "
                f"Received: {word!r} {count} times"
            )
        self._end = len(self.words) - oov_buckets
        for word in self.words[UNKNOWN_ID + 1 : self._end]:
            if "\n" in word or _IS_BUCKET.fullmatch(word):
                raise DatasetError(
                    "`words` must be without line ends and other names than "
                    f"{_BUCKET.format(1)} and so on. Received: {word!r}"
                )

    @classmethod
    def from_tokens(
        cls,
        texts: Iterable[Sequence[str]],
        min_count: int = 1,
        oov_buckets: int = 0,
    ) -> "Vocabulary":
        """Collects the words of tokenised texts, most frequent first.

        Words of equal frequency are in alphabetical order. Words with fewer
        than `min_count` occurrences are left out.

        Raises:
            ValueError: if a text is a string.
        """
        counts: Counter[str] = Counter()
        for text in texts:
            check_collection("texts", text)
            counts.update(text)
        counts.pop(UNKNOWN, None)
        words = sorted(
            (word for word in counts if not _IS_BUCKET.fullmatch(word)),
            key=lambda word: (-counts[word], word),
        )
        return cls(
            (word for word in words if counts[word] >= min_count), oov_buckets
        )

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return UNKNOWN_ID < self._ids.get(word, UNKNOWN_ID) < self._end

    @cached_property
    def known(self) -> np.ndarray:
        """For each id, whether it is that of a known word, bool `(ids,)`."""
        ids = np.arange(len(self))
        return (ids > UNKNOWN_ID) & (ids < self._end)

    def encode(
        self, tokens: Sequence[str], max_length: int | None = None
    ) -> np.ndarray:
        """The ids of the first `max_length` tokens, int32 `(length,)`.

        Raises:
            ValueError: if `tokens` is a string.
        """
        check_collection("tokens", tokens)
        found = map(self._ids.get, tokens[:max_length])
        ids = [
            self._unknown_id(token) if i is None else i
            for token, i in zip(tokens, found, strict=False)
        ]
        return np.asarray(ids, dtype=np.int32)

    def _unknown_id(self, word: str) -> int:
        if not self.oov_buckets:
            return UNKNOWN_ID
        return self._end + bucket_of(word, self.oov_buckets)

    def save(self, path: Path) -> None:
        """Writes the words by their ids from 2, one per line."""
        path.write_text("".join(f"{w}\n" for w in self.words[2:]), "utf-8")

    @classmethod
    def load(cls, path: Path) -> "Vocabulary":
        """Reads a file that `save` wrote.

        Raises:
            DatasetError: if the file cannot be read or is cut off, or a word
                is not UTF-8, empty, repeated or reserved.
        """
        try:
            lines = Path(path).read_bytes().split(b"\n")
        except OSError as error:
            raise error_at(path, 1, "a readable file", str(error)) from error
        seen = {PADDING, UNKNOWN}
        words = []
        for number, line in enumerate(lines[:-1], start=1):
            try:
                word = line.decode("utf-8")
            except UnicodeDecodeError:
                raise error_at(path, number, "UTF-8 text", line) from None
            if word.endswith("\r"):
                expected = "lines that end in a newline alone"
                raise error_at(path, number, expected, word)
            if word in seen:
                raise error_at(
                    path,
                    number,
                    f"distinct words, not empty and not {UNKNOWN!r}",
                    word,
                )
            seen.add(word)
            words.append(word)
        if lines[-1]:
            raise error_at(
                path, len(lines), "a line end behind the last word", lines[-1]
            )
        last = _IS_BUCKET.fullmatch(words[-1]) if words else None
        buckets = int(last[1]) if last else 0
        try:
            found = cls(words[: max(0, len(words) - buckets)], buckets)
        except DatasetError:
            found = None
        if found is None or found.words[2:] != words:
            names = f"the names {_BUCKET.format(1)} to {words[-1]} at the end"
            raise error_at(path, len(words), names, words[-1])
        return found


def pad(
    sequences: Sequence[np.ndarray], max_length: int | None = None
) -> np.ndarray:
    """Stacks sequences of ids, padded at the end with 0.

    Args:
        sequences: integer vectors.
        max_length: number of ids that sequences are cut to; None keeps all.

    Returns:
        int32 array of shape `(len(sequences), width)`, where the width is the
        length of the longest cut sequence, at least 1.
    """
    width = max([1, *(len(s[:max_length]) for s in sequences)])
    padded = np.full((len(sequences), width), PADDING_ID, dtype=np.int32)
    for row, sequence in zip(padded, sequences, strict=True):
        cut = sequence[:max_length]
        row[: len(cut)] = cut
    return padded
