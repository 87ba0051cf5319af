"""Vectors of texts for vector databases, which find largest inner products.

`keras_qa.search.spaces` says why an inner product orders answers as a model's
score does, also where that is a hyperbolic distance. The vectors here are its
lifted ones without the column by which an exact search bounds rounding errors.
"""

from collections.abc import Sequence

import numpy as np

from keras_qa.errors import SearchError
from keras_qa.ranker import Ranker
from keras_qa.ranking.scoring import encode_texts
from keras_qa.search.searchable import space_of
from keras_qa.search.spaces import Space
from keras_qa.search.spaces import check_vectors
from keras_qa.text.reading import check_texts


def lifted_answers(
    ranker: Ranker, answers: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of answers for a database that searches by inner product.

    The inner product with `lifted_question` of the same ranker orders answers
    as the ranker's scores do, but for the rounding of float32: answers whose
    scores are almost equal may change places. `Ranker.rank` of some more
    answers than are wanted gives their exact order, and their scores.

    Args:
        ranker: a ranker of a Keras model that encodes each text as one vector:
            HyperQA of any projection, CosineQA, SentenceEncoder, and QA-LSTM
            and QA-CNN without attention.
        answers: `n` texts; `n` may be 0. A large collection is lifted in parts.

    Returns:
        The positions in `answers` of those that are readable by
        `TextReading.readable`, int64 `(k,)`, and their vectors, float32
        `(k, columns)`. Others must not be found before these, and no vector
        would be last for all questions.

    Raises:
        RankerError: if there is no Keras model, or `answers` is a single text.
        SearchError: if `space_of` does not support the model, it has a vector
            for each token, or it gives vectors that are not finite.

    Example:
        >>> ranker = Ranker(model, reading)
        >>> answers = ["ann wrote it", "emma did", "it was long"]
        >>> rows, vectors = lifted_answers(ranker, answers)
        >>> products = vectors @ lifted_question(ranker, "who wrote emma")
        >>> best = [answers[i] for i in rows[np.argsort(-products)[:10]]]
    """
    check_texts("answers", answers)
    space = _space(ranker)
    texts = ranker.reading.texts("answer", answers)
    vectors = check_vectors(encode_texts(ranker.model, "answer", texts))
    rows = np.flatnonzero(ranker.reading.are_readable(texts))
    # The last column is the bound of exact searches.
    return rows, space.lift_answers(vectors[rows])[:, :-1]


def lifted_question(ranker: Ranker, question: str) -> np.ndarray:
    """The vector of a question for a database of `lifted_answers`.

    Args:
        ranker: the ranker that lifted the answers.
        question: a text.

    Returns:
        float32 `(columns,)`.

    Raises:
        RankerError: if there is no Keras model.
        SearchError: as `lifted_answers`.
    """
    space = _space(ranker)
    (vector,) = check_vectors(ranker.encode([question], "question"))
    return space.lift_question(vector)[:-1]


def _space(ranker: Ranker) -> Space:
    space = space_of(ranker.model)
    if not isinstance(space, Space):
        raise SearchError(
            "The model must have one vector for each text, to be lifted. "
            f"Received: {type(ranker.model).__name__}, with one for each token"
        )
    return space
