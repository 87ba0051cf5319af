"""Vocabularies, which map words to integer ids, and padding of id sequences."""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from keras_qa.errors import DatasetError
from keras_qa.files.text_files import error_at

PADDING_ID = 0
UNKNOWN_ID = 1
PADDING = ""
UNKNOWN = "[UNK]"


class Vocabulary:
    """A mapping of words to ids: 0 is padding, 1 stands for unknown words.

    Args:
        words: the known words, without repetition, in the order of their ids;
            the first gets id 2.

    Attributes:
        words: all words by their ids, including `""` (padding) and `"[UNK]"`.

    Raises:
        DatasetError: if a word is empty, repeated or reserved.
    """

    def __init__(self, words: Iterable[str]):
        self.words = [PADDING, UNKNOWN, *words]
        self._ids = {word: i for i, word in enumerate(self.words)}
        if len(self._ids) != len(self.words):
            (word, count), *_ = Counter(self.words).most_common(1)
            raise DatasetError(
                f"`words` must be distinct, not empty and not {UNKNOWN!r}. "
                f"Received: {word!r} {count} times"
            )

    @classmethod
    def from_tokens(
        cls, texts: Iterable[Sequence[str]], min_count: int = 1
    ) -> "Vocabulary":
        """Collects the words of tokenised texts, most frequent first.

        Words of equal frequency are in alphabetical order. Words with fewer
        than `min_count` occurrences are left out.
        """
        counts = Counter(token for text in texts for token in text)
        counts.pop(UNKNOWN, None)
        return cls(
            word
            for word, count in sorted(
                counts.items(), key=lambda item: (-item[1], item[0])
            )
            if count >= min_count
        )

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return self._ids.get(word, UNKNOWN_ID) > UNKNOWN_ID

    def encode(
        self, tokens: Sequence[str], max_length: int | None = None
    ) -> np.ndarray:
        """The ids of the first `max_length` tokens, int32 `(length,)`."""
        ids = [self._ids.get(t, UNKNOWN_ID) for t in tokens[:max_length]]
        return np.asarray(ids, dtype=np.int32)

    def save(self, path: Path) -> None:
        """Writes the words, one per line, without the two reserved ones."""
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
        return cls(words)


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
