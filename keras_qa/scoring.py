"""Scores of many question-answer pairs."""

from collections.abc import Mapping

import keras
import numpy as np

from keras_qa.datasets.packing import RaggedTexts
from keras_qa.datasets.packing import pack

# Word positions and pairs computed at a time: they bound the memory.
POSITIONS = 1 << 16
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
    """Scores pairs of like length together.

    Widths are powers of two and each width has one batch size, so that only a
    few shapes are ever compiled.
    """
    width = np.max(
        [texts.lengths[indices] for indices in sides.values()], axis=0
    )
    width = np.maximum(width, SHORTEST_WIDTH)
    width = 2 ** np.ceil(np.log2(width)).astype(int)
    order = np.argsort(width, kind="stable")
    scores = np.empty(len(order), dtype=np.float32)
    start = 0
    while start < len(order):
        columns = width[order[start]]
        size = max(1, POSITIONS // columns)
        chosen = order[start : start + size]
        chosen = chosen[width[chosen] == columns]
        batch = {
            side: texts.padded(indices[chosen], columns, rows=size)
            for side, indices in sides.items()
        }
        for name, values in features.items():
            batch[name] = np.zeros((size, *values.shape[1:]), values.dtype)
            batch[name][: len(chosen)] = values[chosen]
        scores[chosen] = scorer.predict_on_batch(batch)[: len(chosen), 0]
        start += len(chosen)
    return scores
