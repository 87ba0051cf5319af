"""Rankers without training: BM25, and those of words and of their vectors.

Nothing here needs Keras; `keras_qa.models.floors` has the same as models.
"""

import logging
import sys
from collections.abc import Iterable
from collections.abc import Sequence
from types import ModuleType

import numpy as np

from keras_qa.arguments import check_equally_many
from keras_qa.datasets.dataset import Question
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.tokenizer import tokenize

# Number of pairs whose vectors are compared at a time; bounds the memory.
PAIRS = 1 << 14


def bm25_scores(
    questions: Sequence[Question],
    tokenizer: str = "word",
    k1: float = 1.5,
    b: float = 0.75,
    max_question_length: int | None = None,
    max_answer_length: int | None = None,
) -> list[np.ndarray]:
    """Scores every candidate with Okapi BM25 (Robertson et al. 1994).

    Document frequencies are counted in the distinct candidates of the given
    questions; no label is read. Tokens without a letter or digit are ignored.

    Args:
        questions: the questions with their candidates.
        tokenizer: name of the tokeniser.
        k1: saturation of the term frequency.
        b: strength of the length normalisation.
        max_question_length: number of tokens that questions are cut to.
        max_answer_length: number of tokens that answers are cut to.

    Returns:
        For each question the scores of its candidates, float32.
    """
    bm25s = import_bm25s()
    texts = sorted({c.text for q in questions for c in q.candidates})
    index = {text: i for i, text in enumerate(texts)}
    documents = [search_terms(t, tokenizer, max_answer_length) for t in texts]
    if not any(documents):
        return [np.zeros(len(q.candidates), np.float32) for q in questions]
    retriever = bm25s.BM25(k1=k1, b=b)
    retriever.index(documents, show_progress=False)
    known = {word for document in documents for word in document}
    scores = []
    for question in questions:
        words = search_terms(question.text, tokenizer, max_question_length)
        query = [word for word in words if word in known]
        all_scores = (
            retriever.get_scores(query)
            if query
            else np.zeros(len(texts), np.float32)
        )
        scores.append(all_scores[[index[c.text] for c in question.candidates]])
    return scores


def import_bm25s() -> ModuleType:
    """Imports the package bm25s without JAX.

    It would start JAX where that is installed, which takes time and a GPU's
    memory, to select the best scores by it; NumPy does that, too.
    """
    hidden = "jax" not in sys.modules
    if hidden:
        sys.modules["jax"] = None  # type: ignore[assignment]
    try:
        import bm25s
    finally:
        if hidden:
            del sys.modules["jax"]
    # bm25s logs every step at the level DEBUG.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return bm25s


def search_terms(
    text: str, tokenizer: str = "word", max_length: int | None = None
) -> list[str]:
    """The words of a text that a search engine would index.

    Args:
        text: the text.
        tokenizer: name of the tokeniser.
        max_length: number of tokens that the text is cut to first.

    Returns:
        The tokens with a letter or a digit, in order.
    """
    return [
        token
        for token in tokenize(text, tokenizer)[:max_length]
        if is_search_term(token)
    ]


def is_search_term(token: str) -> bool:
    """Returns True for a token that has a letter or a digit."""
    return any(character.isalnum() for character in token)


def ids_without_terms(words: Sequence[str]) -> list[int]:
    """The ids of a vocabulary's words that a search engine ignores.

    Args:
        words: the words by id.
    """
    return [i for i, word in enumerate(words) if not is_search_term(word)]


def idf_cosine_scores(
    texts: RaggedTexts,
    vectors: np.ndarray,
    questions: np.ndarray,
    answers: np.ndarray,
    documents: np.ndarray | None = None,
) -> np.ndarray:
    """Scores pairs by the cosine of idf-weighted sums of word vectors.

    The vector of a text is Σ_w idf(w) v(w) over the occurrences of its words,
    with idf(w) = ln(N / max(df(w), 1)), where df(w) of the N documents contain
    w. The score is the cosine of the two vectors, 0 where one of them is zero.
    No label is read.

    This is the baseline "Bag-of-word" of Tan et al. (2016), section 4.2 and
    Table 3.

    Args:
        texts: the word ids of all texts.
        vectors: word vectors by word id, float `(words, dim)`.
        questions: indices of the questions, `(pairs,)`.
        answers: indices of the answers, `(pairs,)`.
        documents: indices of the texts in which words are counted; by default
            the distinct answers of the pairs.

    Returns:
        float32 array `(pairs,)` in [-1, 1].

    Raises:
        ValueError: if there are no documents, or `questions` and `answers`
            differ in length.
    """
    documents = np.unique(answers if documents is None else documents)
    if len(documents) == 0:
        raise ValueError(
            "`documents` must hold at least one text. Received: none"
        )
    held = texts.take(documents)
    # Each document once for each of its distinct words.
    numbers = np.repeat(np.arange(len(documents)), held.lengths)
    pairs = np.unique(np.stack([numbers, held.ids]), axis=1)
    frequencies = np.bincount(pairs[1], minlength=len(vectors))
    idf = np.log(len(documents) / np.maximum(frequencies, 1))
    return bag_of_words_scores(
        texts, vectors * idf[:, None], questions, answers
    )


def bag_of_words_scores(
    texts: RaggedTexts,
    vectors: np.ndarray,
    questions: np.ndarray,
    answers: np.ndarray,
) -> np.ndarray:
    """Scores pairs by the cosine of the sums of their word vectors.

    Args:
        texts: the word ids of all texts.
        vectors: word vectors by word id, float `(words, dim)`.
        questions: indices of the questions, `(pairs,)`.
        answers: indices of the answers, `(pairs,)`.

    Returns:
        float32 array `(pairs,)` in [-1, 1]; 0 where a text's sum is zero.

    Raises:
        ValueError: if `questions` and `answers` differ in length.
    """
    check_equally_many(questions=questions, answers=answers)
    used, rows = np.unique(
        np.concatenate([questions, answers]), return_inverse=True
    )
    sums = np.zeros((len(used), vectors.shape[1]))
    for row, text in enumerate(used):
        sums[row] = vectors[texts[text]].sum(0)
    rows = rows.reshape(2, -1)
    scores = np.zeros(len(questions), np.float32)
    for start in range(0, len(questions), PAIRS):
        chosen = slice(start, start + PAIRS)
        scores[chosen] = cosine_scores(*(sums[side[chosen]] for side in rows))
    return scores


def smooth_idf(texts: RaggedTexts, size: int) -> np.ndarray:
    """ln((1 + N) / (1 + df(w))) + 1, where df(w) of the N texts contain w.

    Args:
        texts: the word ids of the documents.
        size: number of word ids.

    Returns:
        Float array `(size,)`, as `keras_qa.layers.TfIdf.adapt` counts it.
    """
    distinct = [np.unique(texts[i]) for i in range(len(texts))]
    frequencies = np.bincount(np.concatenate(distinct), minlength=size)
    return np.log((1 + len(texts)) / (1 + frequencies)) + 1


def idf_overlap_scores(
    texts: RaggedTexts,
    idf: np.ndarray,
    questions: np.ndarray,
    answers: np.ndarray,
) -> np.ndarray:
    """Scores pairs by the share of the question that the answer repeats.

    The score is Σ_{i: q_i in the answer} idf(q_i) / Σ_i idf(q_i), as that of
    `keras_qa.models.IdfOverlapRanker`.

    Args:
        texts: the word ids of all texts.
        idf: the weight of each word id, `(words,)`.
        questions: indices of the questions, `(pairs,)`.
        answers: indices of the answers, `(pairs,)`.

    Returns:
        float32 array `(pairs,)` from 0 to 1; 0 without words.
    """
    return _weighted_means(
        idf,
        (
            (texts[q], np.isin(texts[q], texts[a]))
            for q, a in zip(questions, answers, strict=True)
        ),
    )


def idf_alignment_scores(
    texts: RaggedTexts,
    idf: np.ndarray,
    vectors: np.ndarray,
    questions: np.ndarray,
    answers: np.ndarray,
) -> np.ndarray:
    """Scores pairs by how near an answer's word is to each question word.

    The score is Σ_i idf(q_i) max_j cos(q_i, a_j) / Σ_i idf(q_i), as that of
    `keras_qa.models.AlignmentRanker` with `idf_weighted`. A zero vector has
    the cosine 0 with all.

    Args:
        texts: the word ids of all texts.
        idf: the weight of each word id, `(words,)`.
        vectors: word vectors by word id, float `(words, dim)`.
        questions: indices of the questions, `(pairs,)`.
        answers: indices of the answers, `(pairs,)`.

    Returns:
        float32 array `(pairs,)` in [-1, 1]; 0 where a text has no words.
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = np.divide(
        vectors, norms, out=np.zeros_like(vectors), where=norms > 0
    )

    def best(question: np.ndarray, answer: np.ndarray) -> np.ndarray:
        if not len(answer):
            return np.zeros(len(question))
        return (units[question] @ units[answer].T).max(1)

    return _weighted_means(
        idf,
        (
            (texts[q], best(texts[q], texts[a]))
            for q, a in zip(questions, answers, strict=True)
        ),
    )


def _weighted_means(
    weights: np.ndarray, pairs: Iterable[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """The means of the values of words, by the words' weights."""
    return np.array(
        [
            weights[words] @ values / weights[words].sum() if len(words) else 0
            for words, values in pairs
        ],
        np.float32,
    )


def cosine_scores(
    question_vectors: np.ndarray, answer_vectors: np.ndarray
) -> np.ndarray:
    """Cosine of corresponding rows; 0 where one of the two rows is zero.

    Args:
        question_vectors: float array `(pairs, dim)`.
        answer_vectors: float array `(pairs, dim)`.

    Returns:
        Float array `(pairs,)`.
    """
    norms = np.linalg.norm(question_vectors, axis=1) * np.linalg.norm(
        answer_vectors, axis=1
    )
    products = np.einsum("pd,pd->p", question_vectors, answer_vectors)
    return np.divide(
        products, norms, out=np.zeros_like(products), where=norms > 0
    )
