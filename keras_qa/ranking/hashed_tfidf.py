"""DrQA's document retriever: tf-idf of hashed words and pairs of words."""

from collections import Counter
from collections.abc import Iterable
from zlib import crc32

import numpy as np
from scipy import sparse

from keras_qa.arguments import check_positive
from keras_qa.ranking.floors import is_search_term
from keras_qa.text.overlap import STOP_WORDS
from keras_qa.text.tokenizer import tokenize

BUCKETS = 1 << 24


class HashedTfIdf:
    """Scores documents by the tf-idf of the n-grams that a question repeats.

    With tf(g, t) the number of times that the text t has an n-gram of the
    bucket g, N documents and n(g) of them with the bucket,

        idf(g) = max(ln((N - n(g) + 1/2) / (n(g) + 1/2)), 0)
        score  = Σ_g ln(1 + tf(g, q)) ln(1 + tf(g, d)) idf(g)²

    over the buckets of the question q and a document d. n-grams of words in
    lower case, up to `ngrams` long, are left out if a word of theirs is a stop
    word or has neither letter nor digit. A bucket is a hash of the n-gram,
    here its CRC-32; DrQA takes MurmurHash3, which differs in what collides. Its
    tokeniser splits at apostrophes and hyphens, too, its stop words are a list
    of its own, where these are NLTK's, and it keeps symbols such as "$".

    Args:
        documents: texts.
        ngrams: length of the longest n-grams.
        buckets: number of buckets.
        tokenizer: name of the tokeniser.

    Attributes:
        idf: float64 `(used buckets,)`.

    Raises:
        ValueError: if there is no document, or a number is not positive.

    Example:
        >>> found = HashedTfIdf(["the white whale", "a whale", "a ship"])
        >>> found.scores("Who hunts the white whale?").round(2)
        [0.25, 0.0, 0.0]

    Reference: Chen et al., 2017, "Reading Wikipedia to Answer Open-Domain
    Questions", section 3.1; the formula is that of the released code.
    """

    def __init__(
        self,
        documents: Iterable[str],
        *,
        ngrams: int = 2,
        buckets: int = BUCKETS,
        tokenizer: str = "word",
    ):
        check_positive(ngrams=ngrams, buckets=buckets)
        self.ngrams, self.buckets, self.tokenizer = ngrams, buckets, tokenizer
        counts = [self._counts(text) for text in documents]
        if not counts:
            raise ValueError(
                "`documents` must hold at least one text. Received: none"
            )
        used = sorted(set().union(*counts))
        self._column = {bucket: i for i, bucket in enumerate(used)}
        rows = np.repeat(np.arange(len(counts)), [len(c) for c in counts])
        columns = [self._column[bucket] for c in counts for bucket in c]
        tf = [np.log1p(n) for c in counts for n in c.values()]
        shape = (len(counts), len(used))
        matrix = sparse.csr_array((tf, (rows, columns)), shape)
        n = np.bincount(columns, minlength=len(used))
        self.idf = np.maximum(np.log((len(counts) - n + 0.5) / (n + 0.5)), 0.0)
        self._weights = sparse.csc_array(matrix * self.idf)

    def scores(self, text: str) -> np.ndarray:
        """The scores of all documents for a question.

        Args:
            text: the question's text.

        Returns:
            float64 array `(documents,)`; 0 for a document that shares no
            n-gram with the question.
        """
        counts = {
            self._column[bucket]: count
            for bucket, count in self._counts(text).items()
            if bucket in self._column
        }
        columns = np.array(list(counts), dtype=int)
        question = np.log1p(list(counts.values())) * self.idf[columns]
        return np.asarray(self._weights[:, columns] @ question)

    def _counts(self, text: str) -> Counter[int]:
        words = tokenize(text, self.tokenizer)
        terms = {*filter(is_search_term, words)} - STOP_WORDS
        return Counter(
            crc32(" ".join(words[start : start + length]).encode())
            % self.buckets
            for length in range(1, self.ngrams + 1)
            for start in range(len(words) - length + 1)
            if terms.issuperset(words[start : start + length])
        )
