"""What a model cannot read: unknown words, and texts without a word."""

import warnings
from collections import Counter
from collections.abc import Sequence

from keras_qa.errors import TextWarning
from keras_qa.files.text_files import shorten
from keras_qa.text.vocabulary import Vocabulary

# Unknown words that a message names.
_NAMED = 5


class TextReport:
    """Counts of the words that a model does not know, and of empty texts.

    The first unknown word and the first empty text give a `TextWarning`
    each; what comes after is counted only.

    Attributes:
        texts: number of texts.
        empty: number of texts without a word.
        words: number of words.
        unknown: how often each word that the vocabulary lacks was read.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets what was counted."""
        self.texts = self.empty = self.words = 0
        self.unknown: Counter[str] = Counter()

    def add(
        self, tokens: Sequence[Sequence[str]], vocabulary: Vocabulary
    ) -> None:
        """Counts texts, given as tokens.

        Args:
            tokens: the tokens of each text.
            vocabulary: the words that the model knows.
        """
        before = bool(self.unknown), bool(self.empty)
        self.texts += len(tokens)
        self.empty += sum(not text for text in tokens)
        self.words += sum(map(len, tokens))
        self.unknown.update(
            word for text in tokens for word in text if word not in vocabulary
        )
        for known, message in zip(before, self._messages(), strict=True):
            if message and not known:
                warnings.warn(message, TextWarning, stacklevel=2)

    def summary(self) -> str:
        """The counts as a sentence; empty if there is nothing to report."""
        return "; ".join(filter(None, self._messages()))

    def _messages(self) -> tuple[str, str]:
        unknown = empty = ""
        if self.unknown:
            named = [word for word, _ in self.unknown.most_common(_NAMED)]
            unknown = (
                f"{self.unknown.total():,} of {self.words:,} words are not in "
                "the model's vocabulary and are read as one unknown word: "
                f"{', '.join(map(shorten, named))}"
                f"{', ...' if len(self.unknown) > _NAMED else ''}"
            )
        if self.empty:
            verb = "is" if self.empty == 1 else "are"
            empty = f"{self.empty:,} of {self.texts:,} texts {verb} empty"
        return unknown, empty
