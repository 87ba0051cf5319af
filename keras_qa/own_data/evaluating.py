"""The table of a trained ranker on any labelled questions."""

from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

import numpy as np

from keras_qa.arguments import check_choice
from keras_qa.datasets.corpus import Corpus
from keras_qa.datasets.dataset import Question
from keras_qa.datasets.ids import check_ids
from keras_qa.errors import DatasetError
from keras_qa.errors import RankerError
from keras_qa.errors import RunFolderError
from keras_qa.export.keras_file import stored_word_vectors
from keras_qa.own_data.settings import BM25_TUNED
from keras_qa.progress import ProgressBar
from keras_qa.progress import counted
from keras_qa.ranking.comparison import Comparison
from keras_qa.ranking.comparison import compare
from keras_qa.ranking.floors import bag_of_words_scores
from keras_qa.ranking.floors import bm25_scores
from keras_qa.ranking.floors import idf_alignment_scores
from keras_qa.ranking.floors import idf_overlap_scores
from keras_qa.ranking.floors import smooth_idf
from keras_qa.ranking.ties import best_first
from keras_qa.ranking.ties import shuffled_best_first
from keras_qa.text.reading import TextReading
from keras_qa.text.word_pieces import WORD_PIECES
from keras_qa.training.run_folder import METRICS
from keras_qa.training.run_folder import read_json

if TYPE_CHECKING:
    import keras

    from keras_qa.ranker import Ranker

# Pairs that a ranker scores at a time.
PAIRS = 4096
MODEL = "model"
AGAINST = "other"
FILE = "file"
BM25 = "bm25"
ORDERS = (FILE, BM25)
# The name of an order that the ranker changes begins so.
_BEFORE = "before: "


def evaluate_ranker(
    ranker: "Ranker",
    questions: Sequence[Question],
    *,
    against: "Ranker | None" = None,
    rerank: str | None = None,
    depth: int | None = None,
    bm25: tuple[float, float] | None = None,
    seed: int = 0,
) -> Comparison:
    r"""Measures a ranker on labelled questions, and compares it with floors.

    The floors count words in the candidates of these questions, whose labels
    they do not read. Cosine and alignment are by the word vectors of the
    ranker's Keras model, and missing where there is none.

    Args:
        ranker: the ranker.
        questions: the questions; one at least with a right answer.
        against: another ranker, for a paired comparison; with `rerank`, it
            orders the same candidates anew.
        rerank: `"file"` or `"bm25"`: the order of the candidates before the
            ranker orders the first of them anew; it gets a line of its own.
            None ranks all candidates.
        depth: how many the ranker orders anew; None takes all.
        bm25: k1 and b of BM25, such as those that a training has chosen, see
            `tuned_bm25`; None takes the usual 1.5 and 0.75.
        seed: of the order of equal scores.

    Raises:
        DatasetError: if no question has a right answer, or two have the same
            id.
        ValueError: if `rerank` is unknown, or `depth` is not positive or
            given without it.

    Example:
        >>> ranker = keras_qa.Ranker.load("runs/faq")
        >>> print("\n".join(evaluate_ranker(ranker, questions).lines()))
    """
    if rerank is not None:
        check_choice("rerank", rerank, ORDERS)
    if depth is not None and (depth < 1 or rerank is None):
        raise ValueError(
            "`depth` must be positive, and goes with `rerank`. "
            f"Received: depth={depth}, rerank={rerank!r}"
        )
    questions = [q for q in questions if q.candidates]
    check_ids(questions)
    if not any(q.positives for q in questions):
        raise DatasetError(
            "Expected a question with a right answer. "
            f"Received: {counted(len(questions), 'question')} without"
        )
    # Floors read words.
    reads_words = ranker.reading.tokenizer not in WORD_PIECES
    reading = ranker.reading if reads_words else None
    named = BM25_TUNED if bm25 else "BM25"
    tokenizer = reading.tokenizer if reading else "word"
    by_words = bm25_scores(questions, tokenizer, *(bm25 or ()))
    first = score_questions(ranker, questions)
    scores = {MODEL: first}
    if rerank is not None:
        before, title = _without_ties(by_words, seed), f"{_BEFORE}{named}"
        if rerank == FILE:
            before = [_by_place(q) for q in questions]
            title = f"{_BEFORE}order of the file"
        scores = {MODEL: _two_stages(before, first, depth), title: before}
    if against is not None:
        other = score_questions(against, questions)
        if rerank is not None:
            other = _two_stages(before, other, depth)
        scores[AGAINST] = other
    floors = _word_floors(ranker, reading, questions)
    if rerank == BM25:
        # The order before is this floor.
        names = [*floors, title]
    else:
        floors = {named: by_words, **floors}
        names = [*floors]
    return compare(questions, {**scores, **floors}, names, seed)


def tuned_bm25(folder: Path) -> tuple[float, float] | None:
    """k1 and b of BM25 that a training has chosen; None for other folders.

    Args:
        folder: the folder of a run, or any other.
    """
    try:
        found = read_json(folder / METRICS)["fitted"]["bm25"]
        return float(found["k1"]), float(found["b"])
    except (RunFolderError, KeyError, TypeError, ValueError):
        return None


def score_questions(
    ranker: "Ranker", questions: Sequence[Question]
) -> list[np.ndarray]:
    """The scores of the candidates of each question, float32.

    Args:
        ranker: the ranker.
        questions: the questions, each with candidates.
    """
    texts = [q.text for q in questions for _ in q.candidates]
    answers = [c.text for q in questions for c in q.candidates]
    found = []
    with ProgressBar(total=len(texts), desc="Score", unit="pair") as bar:
        for start in range(0, len(texts), PAIRS):
            chosen = slice(start, start + PAIRS)
            found.append(ranker.scores(texts[chosen], answers[chosen]))
            bar.update(len(found[-1]))
    ends = np.cumsum([len(q.candidates) for q in questions])[:-1]
    return np.split(np.concatenate(found), ends)


def reranked(
    before: np.ndarray, scores: np.ndarray, depth: int | None = None
) -> np.ndarray:
    """Scores of which the order is that of two stages.

    Args:
        before: scores of the first stage, `(candidates,)`; of equal ones the
            first in this order comes first.
        scores: scores of the second, which orders the best of the first.
        depth: number of these; None takes all.

    Returns:
        float32 `(candidates,)`, whole numbers: of the best in the order of the
        second stage, of the others below, in the order of the first.
    """
    order = best_first(before)
    chosen, others = order[:depth], order[len(order[:depth]) :]
    # Numbers of places, as scores may be too far from 0 to count down from.
    found = np.zeros(len(order), np.float32)
    found[chosen] = np.unique(scores[chosen], return_inverse=True)[1]
    found[others] = -1 - np.arange(len(others))
    return found


def _two_stages(
    before: Sequence[np.ndarray],
    scores: Sequence[np.ndarray],
    depth: int | None,
) -> list[np.ndarray]:
    return [
        reranked(old, new, depth)
        for old, new in zip(before, scores, strict=True)
    ]


def _without_ties(scores: Sequence[np.ndarray], seed: int) -> list[np.ndarray]:
    """Places as scores, with equal scores in the order of `evaluate`.

    The order of the file, in which right answers may come first, would decide
    which of them the second stage reads.
    """
    rng = np.random.default_rng(seed)
    found = []
    for values in scores:
        order, _ = shuffled_best_first(values, rng)
        places = np.empty(len(order), np.float32)
        places[order] = -np.arange(len(order))
        found.append(places)
    return found


def _by_place(question: Question) -> np.ndarray:
    return -np.arange(len(question.candidates), dtype=np.float32)


def _word_floors(
    ranker: "Ranker", reading: TextReading | None, questions: Sequence[Question]
) -> dict[str, list[np.ndarray]]:
    """Idf overlap, and cosine and alignment by the ranker's word vectors."""
    if reading is None:
        corpus = Corpus(questions)
    else:
        corpus = Corpus(
            questions,
            tokenizer=reading.tokenizer,
            max_question_length=reading.max_question_length,
            max_answer_length=reading.max_answer_length,
        )
    indexed = corpus.index(questions)
    words = corpus.vocabulary.words
    idf = smooth_idf(corpus.texts, len(words))
    pairs = indexed.pairs()
    overlap = idf_overlap_scores(corpus.texts, idf, *pairs)
    found = {"idf overlap": indexed.split(overlap)}
    vectors = None if reading is None else _word_vectors(ranker, reading)
    if reading is None or vectors is None:
        return found
    matrix = np.zeros((len(words), vectors.shape[1]), np.float32)
    matrix[2:] = vectors[reading.vocabulary.encode(words[2:])]
    cosine = bag_of_words_scores(corpus.texts, matrix, *pairs)
    alignment = idf_alignment_scores(corpus.texts, idf, matrix, *pairs)
    return {
        **found,
        "untrained cosine": indexed.split(cosine),
        "idf alignment": indexed.split(alignment),
    }


def _word_vectors(ranker: "Ranker", reading: TextReading) -> np.ndarray | None:
    """The rows of the first word embedding of a ranker's Keras model."""
    size = len(reading.vocabulary)
    if ranker.engine == "onnxruntime" and ranker.keras_file is not None:
        # Spares it the import of Keras.
        vectors = stored_word_vectors(ranker.keras_file, size)
        if vectors is not None:
            return vectors
    try:
        model = ranker.model
    except RankerError:
        return None
    import keras

    for layer in _layers(model):
        if isinstance(layer, keras.layers.Embedding):
            rows = keras.ops.convert_to_numpy(layer.embeddings)
            if len(rows) == size:
                return rows
    return None


def _layers(model: "keras.Model") -> list[Any]:
    """The layers of a model and of the models in it."""
    found: list[Any] = []
    for layer in getattr(model, "layers", ()):
        found += [layer, *_layers(layer)]
    return found


def comparison_notes(comparison: Comparison) -> list[str]:
    """The notes of a comparison, and whether the ranker is above the floors."""
    best = comparison.best_floor
    words: Mapping[str, str] = {
        "above": "is above",
        "below": "is BELOW",
        "even": "cannot be told from",
    }
    notes = comparison.notes()
    if best is not None:
        notes.append(
            f"The model {words[comparison.verdict]} the best floor, "
            f"{best.name.removeprefix(_BEFORE)}."
        )
    return notes
