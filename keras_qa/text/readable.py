"""Which candidates a model can read at all; the others are scored last.

Trained models may prefer nothing to something. HyperQA adds up the vectors of a
text's words, so that a text without words, or of words with short vectors such
as "the", lies near the origin, where it is close to every question. Models with
a convolution or an LSTM score any single word by chance. Neither is a score of
an answer, so texts that cannot be one get the same low score in every form of
a model: in `keras_qa.Ranker`, in an index and in exported graphs.
"""

from collections import Counter
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence

import numpy as np

from keras_qa.text.overlap import STOP_WORDS
from keras_qa.text.overlap import is_stop_word
from keras_qa.text.vocabulary import Vocabulary

READABLE = ("any", "known", "content")
"""What a candidate must contain to be read: nothing (`"any"`, as papers do), a
word of the vocabulary, or a word of the vocabulary that is no stop word.
Unknown words do not count, whether or not `oov_buckets` tells them apart."""

UNREAD_SCORE = -(2.0**100)
"""The score of the other candidates, about -1.3e30: finite, lower than scores
of models, and the same number in float32, float64 and decimal digits."""

_ANSWERS = {"all", "both", "here", "more", "most", "no", "now", "once", "same"}
_ENDINGS = {"n't", "'d", "'ll", "'m", "'re", "'s", "'ve"}
_ENDINGS |= {ending.replace("'", "\u2019") for ending in _ENDINGS}

LONE_STOP_WORDS = frozenset(STOP_WORDS - _ANSWERS | _ENDINGS)
"""The stop words that answer no question alone: the English list of
`keras_qa.text.overlap` without "all", "both", "here", "more", "most", "no",
"now", "once" and "same", and with the endings of tokenised text, as "'s"."""


def frequent_words(
    texts: Iterable[Sequence[str]], share: float = 0.1
) -> frozenset[str]:
    """The words of many texts: stop words of any language.

    Args:
        texts: answers of the training data, as tokens.
        share: share of the texts that contain a word, from 0 to 1.

    Raises:
        ValueError: if `share` is not from 0 to 1.
    """
    if not 0 <= share <= 1:
        raise ValueError(
            f"`share` must be from 0 to 1. Received: share={share}"
        )
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        counts.update(set(text))
        total += 1
    return frozenset(w for w, n in counts.items() if n >= share * total)


def readable_ids(
    vocabulary: Vocabulary, readable: str, stop_words: Collection[str]
) -> np.ndarray | None:
    """For each word id, True if a text that contains it can be read.

    Args:
        vocabulary: the words by their ids.
        readable: one of `READABLE`.
        stop_words: the words that do not make a text readable if `readable`
            is `"content"`, next to those without any letter or digit.

    Returns:
        bool `(words,)`; None if texts without any word can be read, too.
    """
    if readable == "any":
        return None
    found = vocabulary.known
    if readable == "content":
        found = found & [
            not is_stop_word(w, stop_words) for w in vocabulary.words
        ]
    return found
