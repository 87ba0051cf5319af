"""Scores of padded pairs, by any object with `predict_on_batch`.

Nothing here needs Keras, so that an ONNX model ranks without it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from keras_qa.text.packing import next_size
from keras_qa.text.ragged import Ragged
from keras_qa.text.reading import fixed_width
from keras_qa.text.vector_texts import VectorTexts

# Number of word positions computed at a time; bounds the memory. A model of
# 1,024 units keeps about ten vectors of that size for each position.
POSITIONS = 1 << 14
SHORTEST_WIDTH = 16


def score_padded(
    scorer: Any,
    texts: Ragged,
    questions: np.ndarray,
    answers: np.ndarray,
    features: Mapping[str, np.ndarray],
    vectors: VectorTexts | None = None,
) -> np.ndarray:
    """Scores padded pairs of texts, with all inputs of a scorer.

    Pairs of similar lengths are scored together: a side whose width the scorer
    does not fix is padded to a power of two, and the last batch of each pair
    of widths to one of a few sizes, so that few shapes are compiled.

    Args:
        scorer: a Keras model, or an object with `predict_on_batch`, with the
            inputs that `score_pairs` describes.
        texts: the word ids of all texts, or their word vectors.
        questions: indices of the questions, `(pairs,)`.
        answers: indices of the answers, `(pairs,)`.
        features: further inputs by name, `(pairs, n)`.
        vectors: see `score_pairs`.

    Returns:
        float32 scores `(pairs,)`, higher is better.
    """
    found = predict_padded(scorer, texts, questions, answers, features, vectors)
    return found[:, 0]


def predict_padded(
    model: Any,
    texts: Ragged,
    questions: np.ndarray,
    answers: np.ndarray,
    features: Mapping[str, np.ndarray] | None = None,
    vectors: VectorTexts | None = None,
) -> np.ndarray:
    """What a model returns for pairs of texts, padded.

    Pairs of about the same lengths are scored together: a side whose width
    the scorer does not fix is padded to a power of two, and batches are full
    except for the last one of each pair of widths, whose size is one of a few,
    so that only a few shapes are compiled.

    Args:
        model: has `predict_on_batch`, as a Keras model has, which returns a
            row of numbers for each pair; the other arguments are those of
            `score_padded`.
        texts: the word ids of all texts, or their word vectors.
        questions: indices of the questions, `(pairs,)`.
        answers: indices of the answers, `(pairs,)`.
        features: further inputs by name, `(pairs, n)`.
        vectors: see `score_pairs`.

    Returns:
        float32 array `(pairs, numbers)`; of no pairs `(0, 1)`.
    """
    sides = {"question": questions, "answer": answers}
    widths = {
        side: _widths(model, side, texts.lengths[indices])
        for side, indices in sides.items()
    }
    order = np.lexsort(tuple(widths.values()))
    found = np.zeros((len(order), 1), np.float32)
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
        if vectors is not None:
            for side, indices in sides.items():
                batch[f"{side}_vectors"] = vectors.padded(
                    indices[chosen], columns[side], rows=size
                )
        for name, values in (features or {}).items():
            batch[name] = np.zeros((size, *values.shape[1:]), values.dtype)
            batch[name][: len(chosen)] = values[chosen]
        rows = model.predict_on_batch(batch)[: len(chosen)]
        if start == 0:
            found = np.zeros((len(order), rows.shape[1]), np.float32)
        found[chosen] = rows
        start += len(chosen)
    return found


def _widths(scorer: Any, side: str, lengths: np.ndarray) -> np.ndarray:
    """The number of columns that texts of these lengths are padded to."""
    fixed = fixed_width(scorer, side)
    if fixed:
        return np.full(len(lengths), fixed)
    rounded = np.ceil(np.log2(np.maximum(lengths, SHORTEST_WIDTH)))
    return 2 ** rounded.astype(int)
