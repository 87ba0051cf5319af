"""Out-of-fold scores: which questions a fold has."""

import numpy as np

from keras_qa.datasets.dataset import Candidate
from keras_qa.datasets.dataset import Question
from keras_qa.ranking.stacking.folds import out_of_fold_scores


def test_the_seed_divides_the_questions():
    questions = [
        Question(str(i), f"question {i}", (Candidate("a", "x", 1),))
        for i in range(11)
    ]

    def parts(seed):
        trained = []

        def fit(known):
            trained.append(frozenset(q.id for q in known))
            return lambda asked: [np.zeros(1) for _ in asked]

        out_of_fold_scores(questions, fit, folds=3, seed=seed)
        return set(trained)

    assert parts(1) == parts(1) != parts(2)
