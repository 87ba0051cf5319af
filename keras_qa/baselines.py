"""Rankers without training: BM25, and the cosine of summed word vectors."""

import logging
from collections.abc import Sequence

import bm25s
import numpy as np

from keras_qa.datasets.base import Question
from keras_qa.datasets.tokenizer import tokenize

# It reports every step as a debug message to whoever listens to all of them.
logging.getLogger("bm25s").setLevel(logging.WARNING)


def bm25_scores(
    questions: Sequence[Question],
    tokenizer: str = "word",
    k1: float = 1.5,
    b: float = 0.75,
    max_question_length: int | None = None,
    max_answer_length: int | None = None,
) -> list[np.ndarray]:
    """Scores every candidate with Okapi BM25 (Robertson et al. 1994).

    The collection, whose document frequencies count, is the different
    candidates of the questions given; no label is read. Tokens without a
    letter or digit are left out.

    Args:
        questions: the questions with their candidates.
        tokenizer: name of the tokeniser.
        k1: saturation of the term frequency.
        b: strength of the length normalisation.
        max_question_length: questions are cut to this many tokens.
        max_answer_length: answers are cut to this many tokens.

    Returns:
        For each question the scores of its candidates, float32.
    """
    texts = sorted({c.text for q in questions for c in q.candidates})
    index = {text: i for i, text in enumerate(texts)}
    documents = [_words(t, tokenizer, max_answer_length) for t in texts]
    if not any(documents):
        return [np.zeros(len(q.candidates), np.float32) for q in questions]
    retriever = bm25s.BM25(k1=k1, b=b)
    retriever.index(documents, show_progress=False)
    known = {word for document in documents for word in document}
    scores = []
    for question in questions:
        words = _words(question.text, tokenizer, max_question_length)
        query = [word for word in words if word in known]
        all_scores = (
            retriever.get_scores(query)
            if query
            else np.zeros(len(texts), np.float32)
        )
        scores.append(all_scores[[index[c.text] for c in question.candidates]])
    return scores


def cosine_scores(
    question_vectors: np.ndarray, answer_vectors: np.ndarray
) -> np.ndarray:
    """Cosine of corresponding rows; 0 where one of them is all zeros.

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


def _words(text: str, tokenizer: str, max_length: int | None) -> list[str]:
    return [
        token
        for token in tokenize(text, tokenizer)[:max_length]
        if any(character.isalnum() for character in token)
    ]
