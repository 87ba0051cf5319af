"""Scores of training questions by rankers that were trained on others."""

from collections.abc import Callable
from collections.abc import Sequence

import numpy as np

from keras_qa.datasets.dataset import Question
from keras_qa.datasets.splitting import split_questions

Scorer = Callable[[list[Question]], Sequence[np.ndarray]]


def out_of_fold_scores(
    questions: Sequence[Question],
    fit: Callable[[list[Question]], Scorer],
    folds: int = 5,
    seed: int = 0,
) -> list[np.ndarray]:
    """Scores of each question by a ranker that was trained on others.

    Args:
        questions: the training questions.
        fit: trains a ranker on the questions that it is given, and returns a
            function from other questions to the scores of the candidates of
            each.
        folds: number of parts, each of which is scored by a ranker that was
            trained on the others; equal questions are in one part.
        seed: seed of the division; one seed for all rankers of a stacker.

    Returns:
        For each question the scores of its candidates, in the given order.

    Raises:
        ValueError: if `folds` is less than 2, or a fold has no question.
    """
    if folds < 2:
        raise ValueError(f"`folds` must be at least 2. Received: folds={folds}")
    parts = split_questions(list(questions), [1.0] * folds, seed)
    if not all(parts):
        raise ValueError(
            "`folds` must leave a question in each fold. "
            f"Received: folds={folds} for {len(questions)} questions"
        )
    found: dict[int, np.ndarray] = {}
    for part in parts:
        held_out = {id(question) for question in part}
        score = fit([q for q in questions if id(q) not in held_out])
        scored = zip(part, score(part), strict=True)
        found |= {id(question): scores for question, scores in scored}
    return [found[id(question)] for question in questions]
