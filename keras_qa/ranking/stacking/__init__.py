"""Combinations of the scores of several rankers, fitted to labels."""

from keras_qa.ranking.stacking.boosting import Trees
from keras_qa.ranking.stacking.boosting import boosted_trees
from keras_qa.ranking.stacking.combining import METHODS
from keras_qa.ranking.stacking.combining import WeightedSum
from keras_qa.ranking.stacking.combining import fit_stacker
from keras_qa.ranking.stacking.folds import out_of_fold_scores

__all__ = [
    "METHODS",
    "Trees",
    "WeightedSum",
    "boosted_trees",
    "fit_stacker",
    "out_of_fold_scores",
]
