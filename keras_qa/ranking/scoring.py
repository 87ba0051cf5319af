"""Scores of many question-answer pairs."""

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import keras
import numpy as np

from keras_qa.ranking.padded import POSITIONS
from keras_qa.ranking.padded import SHORTEST_WIDTH
from keras_qa.ranking.padded import score_padded
from keras_qa.text.packing import RaggedTexts
from keras_qa.text.packing import next_size
from keras_qa.text.packing import pack
from keras_qa.text.ragged import Ragged
from keras_qa.text.reading import fixed_width
from keras_qa.text.vector_texts import VectorTexts

# Number of pairs computed at a time; bounds the memory.
PAIRS = 1 << 13
# Number of words of these pairs, of one pair at least.
WORDS = 1 << 20
# Size of one tensor of a head's input: 16 MiB. The head of an attentive model
# takes all states of each answer.
NUMBERS = 1 << 22


def score_pairs(
    scorer: keras.Model,
    texts: Ragged,
    questions: np.ndarray,
    answers: np.ndarray,
    features: Mapping[str, np.ndarray] | None = None,
    vectors: VectorTexts | None = None,
) -> np.ndarray:
    """Scores pairs of texts.

    Without `features`, a scorer with a method `score_packed` computes each
    distinct word and text of many pairs once, and a scorer with the models
    `question_encoder`, `answer_encoder` and `head` encodes each distinct text
    once. All other scorers are given padded pairs.

    Args:
        scorer: model with the inputs `{"question", "answer"}` and those of
            `features`, and one score per pair.
        texts: the word ids of all texts, or their word vectors
            (`VectorTexts`).
        questions: indices of the questions, `(pairs,)`.
        answers: indices of the answers, `(pairs,)`.
        features: further inputs by name, such as `"overlap"`, `(pairs, n)`.
        vectors: the vectors that the words of all texts have in them, for a
            scorer with the inputs `"question_vectors"` and `"answer_vectors"`
            next to the word ids.

    Returns:
        float32 scores `(pairs,)`, higher is better.

    Raises:
        ValueError: if `features` do not have one row for each pair, or a word
            id is negative or beyond the vocabulary of the scorer.
    """
    _check_ids(scorer, texts)
    questions, answers = np.asarray(questions), np.asarray(answers)
    features = features or {}
    for name, values in features.items():
        if len(values) != len(questions):
            raise ValueError(
                f"`features` must have one row for each of {len(questions)} "
                f"pairs. Received: {len(values)} rows of {name!r}"
            )
    if len(questions) == 0:
        return np.zeros(0, np.float32)
    if (
        hasattr(scorer, "score_packed")
        and isinstance(texts, RaggedTexts)
        and not features
    ):
        return _packed(scorer, texts, questions, answers)
    if hasattr(scorer, "answer_encoder") and not features:
        return _encoded(scorer, texts, questions, answers)
    return score_padded(scorer, texts, questions, answers, features, vectors)


def encode_texts(scorer: keras.Model, side: str, texts: Ragged) -> np.ndarray:
    """Encodes texts of one side.

    Args:
        scorer: model whose encoders return one vector for each text.
        side: `"question"` or `"answer"`.
        texts: the word ids of the texts.

    Returns:
        float32 array `(texts, dim)`.

    Raises:
        ValueError: if a word id is negative or beyond the vocabulary.
    """
    _check_ids(scorer, texts)
    width = getattr(scorer, f"{side}_encoder").output_shape[-1]
    vectors = np.empty((len(texts), width), np.float32)
    for chosen, encoded in _encodings(
        scorer, side, texts, np.arange(len(texts))
    ):
        vectors[chosen] = np.asarray(encoded[: len(chosen)], np.float32)
    return vectors


def encode_tokens(scorer: keras.Model, side: str, texts: Ragged) -> VectorTexts:
    """Encodes the tokens of texts of one side.

    Args:
        scorer: model whose encoders return a dict of the `"vectors"` of tokens
            and their `"mask"`, as `LateInteraction`.
        side: `"question"` or `"answer"`.
        texts: the word ids of the texts.

    Returns:
        The float32 vectors of the tokens of each text.

    Raises:
        ValueError: if a word id is negative or beyond the vocabulary.
    """
    _check_ids(scorer, texts)
    width = getattr(scorer, f"{side}_encoder").output["vectors"].shape[-1]
    parts = [np.zeros((0, width), np.float32)] * len(texts)
    for chosen, encoded in _encodings(
        scorer, side, texts, np.arange(len(texts))
    ):
        for row, i in enumerate(chosen):
            real = np.asarray(encoded["mask"][row], bool)
            parts[i] = np.asarray(encoded["vectors"][row], np.float32)[real]
    return VectorTexts.from_arrays(parts, width)


def _check_ids(scorer: keras.Model, texts: Ragged) -> None:
    """Raises an error for ids without a word vector.

    For such an id, backends raise an error, or return NaN or another vector.
    """
    size = getattr(scorer, "vocabulary_size", None)
    if size is None or not isinstance(texts, RaggedTexts):
        return
    least, most = texts.ids.min(initial=0), texts.ids.max(initial=0)
    if least < 0 or most >= size:
        raise ValueError(
            f"`texts` must have word ids from 0 to {size - 1}, which the "
            f"scorer has vectors for. Received: {least if least < 0 else most}"
        )


def _packed(
    scorer: keras.Model,
    texts: RaggedTexts,
    questions: np.ndarray,
    answers: np.ndarray,
) -> np.ndarray:
    round_up = keras.backend.backend() == "jax"
    words = np.cumsum(texts.lengths[questions] + texts.lengths[answers])
    scores = []
    start = before = 0
    while start < len(questions):
        most = int(np.searchsorted(words, before + WORDS, side="right"))
        stop = min(max(most, start + 1), start + PAIRS, len(words))
        chosen = slice(start, stop)
        start, before = stop, int(words[stop - 1])
        batch = pack(
            texts, questions[chosen], answers[chosen][:, None], round_up
        )
        scored = scorer.score_packed(
            {name: keras.ops.convert_to_tensor(a) for name, a in batch.items()}
        )
        scores.append(keras.ops.convert_to_numpy(scored)[:, 0])
    return np.concatenate(scores)


def _encoded(
    scorer: keras.Model,
    texts: Ragged,
    questions: np.ndarray,
    answers: np.ndarray,
) -> np.ndarray:
    """Encodes a chunk of answers at a time and scores the chunk's pairs.

    The encodings of all answers together may not fit in memory.
    """
    distinct, question = np.unique(questions, return_inverse=True)
    chunks = list(_encodings(scorer, "question", texts, distinct))
    order = np.argsort(np.concatenate([chosen for chosen, _ in chunks]))
    encoded_questions = keras.tree.map_structure(
        lambda *parts: _joined(parts)[order],
        *(
            # Drops the rows that fill the batch.
            keras.tree.map_structure(itemgetter(slice(len(chosen))), part)
            for chosen, part in chunks
        ),
    )

    distinct, answer = np.unique(answers, return_inverse=True)
    by_answer = np.argsort(answer, kind="stable")
    first = np.searchsorted(answer[by_answer], np.arange(len(distinct) + 1))
    scores = np.empty(len(answers), dtype=np.float32)
    for chosen, encoded in _encodings(scorer, "answer", texts, distinct):
        parts = [by_answer[first[i] : first[i + 1]] for i in chosen]
        rows = np.repeat(np.arange(len(chosen)), [len(part) for part in parts])
        pairs = np.concatenate(parts)
        scores[pairs] = _compared(
            scorer.head, encoded_questions, question[pairs], encoded, rows
        )
    return scores


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Concatenates rows, padding sequences with 0 to the longest."""
    width = max(part.shape[1] for part in parts)
    return np.concatenate(
        [
            np.pad(
                part,
                [(0, 0), (0, width - part.shape[1])]
                + [(0, 0)] * (part.ndim - 2),
            )
            for part in parts
        ]
    )


def _encodings(
    scorer: keras.Model, side: str, texts: Ragged, indices: np.ndarray
) -> Iterator[tuple[np.ndarray, Any]]:
    """Encodes questions, or answers, of similar length together.

    Yields:
        Positions in `indices`, `(n,)`, and the encodings of these texts: an
        array or a structure of arrays, with at least n rows.
    """
    encoder = getattr(scorer, f"{side}_encoder")
    lengths = np.maximum(texts.lengths[indices], SHORTEST_WIDTH)
    fixed = fixed_width(scorer, side)
    if fixed:
        lengths = np.full_like(lengths, fixed)
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        width = int(lengths[order[start]])
        if keras.backend.backend() == "jax":
            width = min(next_size(width), int(lengths[order[0]]))
        most = max(1, POSITIONS // width)
        chosen = order[start : start + most]
        rows = min(most, next_size(len(chosen)))
        ids = texts.padded(indices[chosen], width, rows)
        yield chosen, encoder.predict_on_batch(ids)
        start += len(chosen)


def _compared(
    head: keras.Model,
    questions: Any,
    asked: np.ndarray,
    answers: Any,
    rows: np.ndarray,
) -> np.ndarray:
    """Scores the pairs of rows `asked` of questions and `rows` of answers."""
    numbers = max(x[0].size for x in keras.tree.flatten([questions, answers]))
    answers = keras.tree.map_structure(keras.ops.convert_to_tensor, answers)
    most = max(1, min(PAIRS, NUMBERS // numbers))
    scores = []
    for start in range(0, len(rows), most):
        size = min(most, len(rows) - start)
        # Rows of the last batch are repeated to reach one of a few sizes.
        chosen = start + np.resize(np.arange(size), min(most, next_size(size)))
        pairs = {
            "question": keras.tree.map_structure(
                keras.ops.convert_to_tensor,
                keras.tree.map_structure(itemgetter(asked[chosen]), questions),
            ),
            "answer": keras.tree.map_structure(
                partial(keras.ops.take, indices=rows[chosen], axis=0), answers
            ),
        }
        scores.append(head.predict_on_batch(pairs)[:size, 0])
    return np.concatenate(scores)
