"""Features of the word overlap of a question and an answer."""

import json
import math
import runpy
from collections import Counter
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path

import numpy as np

from keras_qa.arguments import check_collection
from keras_qa.arguments import check_equally_many
from keras_qa.errors import DatasetError
from keras_qa.files.text_files import shorten

# Importing bm25s would start JAX and take GPU memory.
STOP_WORDS: frozenset[str] = frozenset(
    runpy.run_path(
        str(distribution("bm25s").locate_file("bm25s/stopwords.py"))
    )["STOPWORDS_EN_PLUS"]
)
"""The English list of NLTK (179 words in lower case), as bm25s ships it."""


class OverlapFeatures:
    """Word overlap of a question and an answer, plain and weighted by idf.

    With Q and A the sets of their distinct words,

        overlap     = |Q ∩ A| / (|Q| + |A|)
        idf overlap = Σ_{w in Q ∩ A} ln(N / df(w)) / (|Q| + |A|)

    both over all words, and again without stop words: four numbers, each 0
    where both sides have no words. N is the number of documents and df(w) the
    number of documents that contain w, or 1 if none does. Words are compared
    as strings, independently of a vocabulary. Tokens without any letter or
    digit are stop words.

    These are the additional features of Severyn and Moschitti 2015 ("Learning
    to Rank Short Text Pairs with Convolutional Deep Neural Networks"). Their
    published code weighs by df / ln(N / df), which favours common words, and
    has no stop words. CTRN (section "Experimental Setup") uses them on TrecQA.

    Args:
        document_frequencies: for each word the number of documents that
            contain it, from 1 to `documents`.
        documents: number of documents, at least 1.
        stop_words: words that the last two features ignore.

    Raises:
        ValueError: if an argument is out of range.

    Example:
        >>> features = OverlapFeatures({"moby-dick": 2, "wrote": 5}, 10)
        >>> features.pair(
        ...     ["who", "wrote", "moby-dick", "?"],
        ...     ["melville", "wrote", "moby-dick", "."],
        ... ).round(2)
        [0.25, 0.29, 0.4, 0.46]
    """

    names = (
        "overlap",
        "idf_overlap",
        "content_overlap",
        "content_idf_overlap",
    )

    def __init__(
        self,
        document_frequencies: Mapping[str, int],
        documents: int,
        stop_words: Iterable[str] = STOP_WORDS,
    ):
        if documents < 1:
            raise ValueError(
                "`documents` must be at least 1. "
                f"Received: documents={documents}"
            )
        for word, frequency in document_frequencies.items():
            if not 1 <= frequency <= documents:
                raise ValueError(
                    "`document_frequencies` must be from 1 to "
                    f"documents={documents}. Received: {frequency} for "
                    f"{word!r}"
                )
        self.document_frequencies = dict(document_frequencies)
        self.documents = documents
        self.stop_words = frozenset(stop_words)

    @classmethod
    def fit(
        cls,
        token_lists: Iterable[Sequence[str]],
        stop_words: Iterable[str] = STOP_WORDS,
    ) -> "OverlapFeatures":
        """Counts the document frequencies of words.

        Args:
            token_lists: the documents as tokens, such as `Corpus.tokens`.
            stop_words: words that the last two features ignore.

        Raises:
            ValueError: if there are no documents, or one is a string.
        """
        frequencies: Counter[str] = Counter()
        documents = 0
        for tokens in token_lists:
            check_collection("token_lists", tokens)
            frequencies.update(set(tokens))
            documents += 1
        return cls(frequencies, documents, stop_words)

    def idf(self, word: str) -> float:
        """The weight ln(N / df) of a word, 0 or more."""
        return math.log(self.documents / self.document_frequencies.get(word, 1))

    def is_stop_word(self, word: str) -> bool:
        """Returns True if the last two features ignore a word."""
        return is_stop_word(word, self.stop_words)

    def pair(
        self, question_tokens: Iterable[str], answer_tokens: Iterable[str]
    ) -> np.ndarray:
        """The features of one pair.

        Args:
            question_tokens: the question's tokens, cut as the model reads it.
            answer_tokens: the answer's tokens, cut as the model reads it.

        Returns:
            float32 array of shape `(4,)`, in the order of `names`.

        Raises:
            ValueError: if one of them is a string.
        """
        check_collection("question_tokens", question_tokens)
        check_collection("answer_tokens", answer_tokens)
        return self.pairs(
            [list(question_tokens), list(answer_tokens)],
            np.array([0]),
            np.array([1]),
        )[0]

    def pairs(
        self,
        tokens: Sequence[Sequence[str]],
        questions: np.ndarray,
        answers: np.ndarray,
    ) -> np.ndarray:
        """The features of many pairs.

        Args:
            tokens: the tokens of all texts, such as `Corpus.tokens`.
            questions: indices of the questions, `(pairs,)`.
            answers: indices of the answers, `(pairs,)`.

        Returns:
            float32 array of shape `(pairs, 4)`, columns in the order of
            `names`.

        Raises:
            ValueError: if `questions` and `answers` differ in length.
        """
        check_equally_many(questions=questions, answers=answers)
        # Of a large corpus only the texts of these pairs are counted.
        used = np.union1d(questions, answers).tolist()
        sizes = {text: np.array(self._sizes(tokens[text])) for text in used}
        features = np.zeros((len(questions), len(self.names)), np.float32)
        for row, (q, a) in enumerate(zip(questions, answers, strict=True)):
            shared = set(tokens[q]).intersection(tokens[a])
            if shared:
                features[row] = self._values(shared, sizes[q] + sizes[a])
        return features

    def save(self, path: Path | str) -> None:
        """Writes the counts and the stop words as JSON."""
        state = {
            "documents": self.documents,
            "stop_words": sorted(self.stop_words),
            "document_frequencies": dict(
                sorted(self.document_frequencies.items())
            ),
        }
        Path(path).write_text(json.dumps(state, indent=0) + "\n", "utf-8")

    @classmethod
    def load(cls, path: Path | str) -> "OverlapFeatures":
        """Reads a file that `save` wrote.

        Raises:
            DatasetError: if the file is missing or has other content.
        """
        try:
            state = json.loads(Path(path).read_text("utf-8"))
            _check_state(**state)
            return cls(**state)
        # Too deeply nested JSON raises a RecursionError.
        except (TypeError, RecursionError, ValueError, OSError) as error:
            raise DatasetError(
                f"{path}: expected what `OverlapFeatures.save` writes. "
                f"Received: {shorten(str(error))}"
            ) from error

    def _sizes(self, tokens: Iterable[str]) -> tuple[int, int]:
        """The numbers of distinct words, with and without stop words."""
        words = set(tokens)
        return len(words), len(words) - sum(map(self.is_stop_word, words))

    def _values(
        self, shared: set[str], sizes: np.ndarray
    ) -> tuple[float, float, float, float]:
        """The features of a pair that shares words.

        Args:
            shared: Q ∩ A.
            sizes: |Q| + |A|, with and without stop words.
        """
        weights = {word: self.idf(word) for word in shared}
        content = [
            weight
            for word, weight in weights.items()
            if not self.is_stop_word(word)
        ]
        words, content_words = sizes.tolist()
        # `fsum` is exact, hence independent of the sets' random order.
        return (
            len(weights) / words,
            math.fsum(weights.values()) / words,
            len(content) / max(1, content_words),
            math.fsum(content) / max(1, content_words),
        )


def is_stop_word(word: str, stop_words: Collection[str] = STOP_WORDS) -> bool:
    """Returns True for stop words and words without any letter or digit."""
    return word in stop_words or not any(map(str.isalnum, word))


def _check_state(
    document_frequencies: object, documents: object, stop_words: object
) -> None:
    """Checks the types of the entries; a TypeError names a wrong one."""
    if type(documents) is not int:
        raise TypeError(f"documents={documents!r}")
    if not isinstance(document_frequencies, dict) or any(
        type(count) is not int for count in document_frequencies.values()
    ):
        raise TypeError(f"document_frequencies={document_frequencies!r}")
    if not isinstance(stop_words, list) or any(
        not isinstance(word, str) for word in stop_words
    ):
        raise TypeError(f"stop_words={stop_words!r}")
