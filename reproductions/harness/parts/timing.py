"""What a model costs: seconds of ranking a pool and of an epoch of training."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from keras_qa.training.corpus_scorer import CorpusScorer
from reproductions.harness.errors import SettingsError
from reproductions.harness.parts.learners import Training
from reproductions.harness.parts.runs import Run

POOL, QUESTIONS, STEPS = 500, 5, 12
# Questions are padded to one length, so that none compiles anew.
QUESTION_LENGTH = 32


def pool_of(run: Run[Any]) -> np.ndarray:
    """Distinct candidates of the reported questions, `(POOL,)` or fewer."""
    indexed = run.corpus.index(run.report)
    return np.unique(np.concatenate(indexed.candidate_texts))[:POOL]


def pool_seconds(scorer: CorpusScorer, run: Run[Any]) -> float:
    """Times a question with a pool whose texts are read anew."""
    pool = pool_of(run)
    return _median(
        run, lambda text: scorer.scores(np.full(len(pool), text), pool)
    )


def encoded_seconds(scorer: CorpusScorer, run: Run[Any]) -> float | None:
    """Times a question with a pool whose vectors were computed before.

    Returns:
        None if the model has no vector of a text alone.
    """
    model, texts = scorer.model, scorer.texts
    if not hasattr(model, "answer_encoder") or scorer.vectors is not None:
        return None
    pool = pool_of(run)
    answers = model.answer_encoder.predict(texts.padded(pool), verbose=0)

    def score(text: int) -> Any:
        ids = texts.padded(np.array([text]), QUESTION_LENGTH)
        question = model.question_encoder.predict_on_batch(ids)
        question = keras.tree.map_structure(
            lambda x: np.repeat(x, len(pool), axis=0), question
        )
        return model.head.predict_on_batch(
            {"question": question, "answer": answers}
        )

    return _median(run, score)


def epoch_seconds(training: Training) -> float:
    """Times an epoch: the median step, multiplied by their number."""
    steps = _StepTimes()
    training.trainer.fit(
        training.batches,
        verbose=0,
        steps_per_epoch=min(STEPS, len(training.batches)),
        **training.batches.fit_arguments(callbacks=[steps]),
    )
    # The first steps compile.
    return statistics.median(steps.seconds[2:]) * len(training.batches)


def _median(run: Run[Any], score: Callable[[int], Any]) -> float:
    found = []
    texts = run.corpus.index(run.report).question_texts
    # The first call of each length compiles; a floor's scores are remembered,
    # so that no question is asked twice.
    for text in texts[: 2 * QUESTIONS]:
        start = time.perf_counter()
        score(text)
        found.append(time.perf_counter() - start)
    if len(found) <= QUESTIONS:
        raise SettingsError(
            f"{run.arguments.dataset}: expected more than {QUESTIONS} "
            f"questions, the first of which compile. Received: {len(found)}"
        )
    return statistics.median(found[QUESTIONS:])


class _StepTimes(keras.callbacks.Callback):
    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []
        self._start = 0.0

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._start = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.seconds.append(time.perf_counter() - self._start)
