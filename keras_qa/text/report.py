"""Counts of text that a model cannot read: unknown words and empty texts."""

import warnings
from collections import Counter
from collections.abc import Sequence

from keras_qa.errors import TextWarning
from keras_qa.files.text_files import shorten
from keras_qa.text.vocabulary import Vocabulary

# Number of unknown words that a message names.
_NAMED = 5


class TextReport:
    """Counts of the words that a vocabulary lacks, and of empty texts.

    The first texts with unknown words and the first empty texts each cause a
    `TextWarning`; later ones are only counted.

    Attributes:
        counts: whether texts are counted; a server, which prints no report,
            sets it to False.
        texts: number of texts.
        empty: number of texts without a word.
        words: number of words.
        unknown: number of occurrences of each word that the vocabulary lacks.
    """

    def __init__(self) -> None:
        self.counts = True
        self._as_one = True
        self.clear()

    def clear(self) -> None:
        """Resets all counts."""
        self.texts = self.empty = self.words = 0
        self.unknown: Counter[str] = Counter()

    def add(
        self, tokens: Sequence[Sequence[str]], vocabulary: Vocabulary
    ) -> None:
        """Counts texts, given as tokens.

        Args:
            tokens: the tokens of each text.
            vocabulary: the model's vocabulary.
        """
        if not self.counts:
            return
        before = bool(self.unknown), bool(self.empty)
        self._as_one = not vocabulary.oov_buckets
        self.texts += len(tokens)
        self.empty += sum(not text for text in tokens)
        self.words += sum(map(len, tokens))
        self.unknown.update(
            word for text in tokens for word in text if word not in vocabulary
        )
        for known, message in zip(before, self._messages(), strict=True):
            if message and not known:
                warnings.warn(message, TextWarning, stacklevel=2)

    @property
    def unknown_share(self) -> float:
        """The share of unknown words among all words, 0 without words."""
        return self.unknown.total() / max(1, self.words)

    def summary(self) -> str:
        """The counts as a sentence; empty if there is nothing to report."""
        return "; ".join(filter(None, self._messages()))

    def _messages(self) -> tuple[str, str]:
        unknown = empty = ""
        if self.unknown:
            named = [word for word, _ in self.unknown.most_common(_NAMED)]
            unknown = (
                f"{self.unknown.total():,} of {self.words:,} words are not in "
                f"the model's vocabulary ({self.unknown_share:.1%}) and are "
                "read as "
                f"{'one unknown word' if self._as_one else 'unknown words'}: "
                f"{', '.join(map(shorten, named))}"
                f"{', ...' if len(self.unknown) > _NAMED else ''}"
            )
        if self.empty:
            verb = "is" if self.empty == 1 else "are"
            empty = f"{self.empty:,} of {self.texts:,} texts {verb} empty"
        return unknown, empty
