"""Scores of many question-answer pairs, each text encoded once if possible."""

import keras
import numpy as np

from keras_qa.datasets.packing import RaggedTexts

# Word positions computed at a time: bounds the memory, long texts included.
POSITIONS = 1 << 16
SHORTEST_WIDTH = 16

# From tensors of word ids, one per side, to one row per text or pair.
_Sides = dict[str, np.ndarray]


def score_pairs(
    scorer: keras.Model,
    texts: RaggedTexts,
    questions: np.ndarray,
    answers: np.ndarray,
) -> np.ndarray:
    """Scores pairs of texts.

    A scorer with `question_encoder`, `answer_encoder` and `head` encodes each
    distinct text once; any other scores pair by pair.

    Args:
        scorer: model with inputs `{"question", "answer"}` and one score per
            pair.
        texts: the word ids of all texts.
        questions: indices of the questions, `(pairs,)`.
        answers: indices of the answers, `(pairs,)`.

    Returns:
        float32 scores `(pairs,)`, higher is better.
    """
    sides = {"question": questions, "answer": answers}
    if len(questions) == 0:
        return np.zeros(0, np.float32)
    if not hasattr(scorer, "head"):
        return _in_batches(scorer, texts, sides)[:, 0]
    pairs = {}
    for side, indices in sides.items():
        distinct, position = np.unique(indices, return_inverse=True)
        encoder = getattr(scorer, f"{side}_encoder")
        vectors = _in_batches(encoder, texts, {side: distinct})
        pairs[side] = vectors[position]
    return np.asarray(scorer.head.predict(pairs, POSITIONS, verbose=0))[:, 0]


def _in_batches(
    model: keras.Model, texts: RaggedTexts, sides: _Sides
) -> np.ndarray:
    """Applies a model to texts of like length together.

    Widths are powers of two and each width has one batch size, so that only a
    few shapes are ever compiled.
    """
    width = np.max(
        [texts.lengths[indices] for indices in sides.values()], axis=0
    )
    width = np.maximum(width, SHORTEST_WIDTH)
    width = 2 ** np.ceil(np.log2(width)).astype(int)
    order = np.argsort(width, kind="stable")
    rows, start = [], 0
    while start < len(order):
        columns = width[order[start]]
        size = max(1, POSITIONS // columns)
        chosen = order[start : start + size]
        chosen = chosen[width[chosen] == columns]
        start += len(chosen)
        batch = {
            side: texts.padded(indices[chosen], columns, rows=size)
            for side, indices in sides.items()
        }
        inputs = batch if len(batch) > 1 else next(iter(batch.values()))
        rows.append(model.predict_on_batch(inputs)[: len(chosen)])
    result = np.concatenate(rows)
    restored = np.empty_like(result)
    restored[order] = result
    return restored
