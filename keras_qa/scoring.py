"""Scores of many question-answer pairs."""

from collections.abc import Mapping

import keras
import numpy as np

from keras_qa.datasets.packing import RaggedTexts
from keras_qa.datasets.packing import next_size
from keras_qa.datasets.packing import pack

# Word positions and pairs computed at a time: they bound the memory. A model of
# 1,024 units keeps some ten vectors of that size for each position.
POSITIONS = 1 << 14
PAIRS = 1 << 13
SHORTEST_WIDTH = 16


def score_pairs(
    scorer: keras.Model,
    texts: RaggedTexts,
    questions: np.ndarray,
    answers: np.ndarray,
    features: Mapping[str, np.ndarray] | None = None,
) -> np.ndarray:
    """Scores pairs of texts.

    A scorer that has a method `score_packed` computes each distinct word and
    text of many pairs once; any other is given padded pairs, and so is every
    scorer that has inputs beside the texts.

    Args:
        scorer: model with inputs `{"question", "answer"}`, and those of
            `features`, and one score per pair.
        texts: the word ids of all texts.
        questions: indices of the questions, `(pairs,)`.
        answers: indices of the answers, `(pairs,)`.
        features: further inputs by name, such as "overlap", one row for each
            pair: `(pairs, n)`.

    Returns:
        float32 scores `(pairs,)`, higher is better.

    Raises:
        ValueError: if `features` do not have one row for each pair.
    """
    features = features or {}
    for name, values in features.items():
        if len(values) != len(questions):
            raise ValueError(
                f"`features` must have one row for each of {len(questions)} "
                f"pairs. Received: {len(values)} rows of {name!r}"
            )
    if len(questions) == 0:
        return np.zeros(0, np.float32)
    if hasattr(scorer, "score_packed") and not features:
        return _packed(scorer, texts, questions, answers)
    sides = {"question": questions, "answer": answers}
    return _padded(scorer, texts, sides, features)


def _packed(
    scorer: keras.Model,
    texts: RaggedTexts,
    questions: np.ndarray,
    answers: np.ndarray,
) -> np.ndarray:
    round_up = keras.backend.backend() == "jax"
    scores = []
    for start in range(0, len(questions), PAIRS):
        chosen = slice(start, start + PAIRS)
        batch = pack(
            texts, questions[chosen], answers[chosen][:, None], round_up
        )
        scored = scorer.score_packed(
            {name: keras.ops.convert_to_tensor(a) for name, a in batch.items()}
        )
        scores.append(keras.ops.convert_to_numpy(scored)[:, 0])
    return np.concatenate(scores)


def _padded(
    scorer: keras.Model,
    texts: RaggedTexts,
    sides: Mapping[str, np.ndarray],
    features: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Scores pairs of like lengths together.

    A side whose width the scorer does not fix is padded to a power of two, and
    batches are full but for the last of each pair of widths, whose size is one
    of few, so that only a few shapes are ever compiled.
    """
    widths = {
        side: _widths(scorer, side, texts.lengths[indices])
        for side, indices in sides.items()
    }
    order = np.lexsort(tuple(widths.values()))
    scores = np.empty(len(order), dtype=np.float32)
    start = 0
    while start < len(order):
        columns = {side: int(w[order[start]]) for side, w in widths.items()}
        chosen = order[
            start : start + max(1, POSITIONS // sum(columns.values()))
        ]
        for side, width in widths.items():
            chosen = chosen[width[chosen] == columns[side]]
        size = next_size(len(chosen))
        batch = {
            side: texts.padded(indices[chosen], columns[side], rows=size)
            for side, indices in sides.items()
        }
        for name, values in features.items():
            batch[name] = np.zeros((size, *values.shape[1:]), values.dtype)
            batch[name][: len(chosen)] = values[chosen]
        scores[chosen] = scorer.predict_on_batch(batch)[: len(chosen), 0]
        start += len(chosen)
    return scores


def _widths(scorer: keras.Model, side: str, lengths: np.ndarray) -> np.ndarray:
    """To how many columns texts of some lengths are padded."""
    inputs = getattr(scorer, "input", None)  # a functional model's
    fixed = inputs[side].shape[1] if isinstance(inputs, dict) else None
    if fixed:
        return np.full(len(lengths), fixed)
    rounded = np.ceil(np.log2(np.maximum(lengths, SHORTEST_WIDTH)))
    return 2 ** rounded.astype(int)
