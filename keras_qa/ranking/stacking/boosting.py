"""Gradient boosted trees on a few features of pairs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from keras_qa.arguments import check_positive
from keras_qa.ranking.logistic import check_labelled


@dataclass(frozen=True)
class Trees:
    """A sum of decision trees of one depth D.

    Node i of a tree, from 0 to 2^D - 2, asks whether its feature is at most its
    threshold; then the next node is 2i + 1, otherwise 2i + 2. The last 2^D are
    the leaves. The score is the bias plus the value of one leaf of each tree.

    Attributes:
        features: the feature of each node, int32 `(trees, 2^D - 1)`.
        thresholds: float32 `(trees, 2^D - 1)`.
        values: those of the leaves, float64 `(trees, 2^D)`.
        bias: a number.
    """

    features: np.ndarray
    thresholds: np.ndarray
    values: np.ndarray
    bias: float

    def scores(self, features: np.ndarray) -> np.ndarray:
        """Scores pairs.

        Args:
            features: float array `(pairs, features)`, compared as float32.

        Returns:
            float64 array `(pairs,)`, the log-odds that the answer is right.
        """
        x = np.asarray(features, dtype=np.float32)
        trees, inner = self.features.shape
        every, row = np.arange(trees), np.arange(len(x))[:, None]
        node = np.zeros((len(x), trees), dtype=np.int64)
        for _ in range(inner.bit_length()):
            asked = x[row, self.features[every, node]]
            left = asked <= self.thresholds[every, node]
            node = 2 * node + 2 - left
        return self.bias + self.values[every, node - inner].sum(axis=1)


def boosted_trees(
    features: np.ndarray,
    labels: np.ndarray,
    trees: int = 100,
    depth: int = 3,
    learning_rate: float = 0.1,
    seed: int = 0,
) -> Trees:
    """Regression trees, each fitted to the gradient of the logistic loss.

    They are those of scikit-learn's `GradientBoostingClassifier`, whose
    defaults these are.

    Args:
        features: float array `(pairs, features)`.
        labels: 0 and 1, `(pairs,)`; values above 1 count as 1.
        trees: number of trees.
        depth: number of questions that each tree asks of a pair.
        learning_rate: factor of the values of leaves, positive.
        seed: chooses between equally good features.

    Raises:
        ImportError: if scikit-learn is not installed.
        ValueError: if an argument is out of range, the features are not
            finite, or all labels are equal.

    Example:
        >>> features = np.array([[0.0], [1.0], [2.0]])
        >>> boosted_trees(features, [0, 1, 0]).scores(features) > 0
        [False, True, False]

    Reference: Friedman, 2001, "Greedy Function Approximation: A Gradient
    Boosting Machine", section 4.5.
    """
    check_positive(trees=trees, depth=depth)
    if not 0 < learning_rate < np.inf:
        raise ValueError(
            "`learning_rate` must be positive and finite. "
            f"Received: learning_rate={learning_rate!r}"
        )
    x, right = check_labelled(features, labels)
    try:
        from sklearn.ensemble import GradientBoostingClassifier
    except ImportError as error:
        raise ImportError(
            "Boosted trees need scikit-learn: pip install 'keras-qa[stacking]'"
        ) from error
    fitted = GradientBoostingClassifier(
        n_estimators=trees,
        max_depth=depth,
        learning_rate=learning_rate,
        random_state=seed,
    ).fit(x, right)
    grown = [_complete(one.tree_, depth) for one in fitted.estimators_[:, 0]]
    nodes, thresholds, values = map(np.stack, zip(*grown, strict=True))
    # The trees add to the log-odds of all pairs.
    share = right.mean()
    bias = float(np.log(share / (1 - share)))
    return Trees(nodes, thresholds, learning_rate * values, bias)


def _complete(
    tree: Any, depth: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, thresholds and values of a tree, grown to its full depth.

    Below a leaf of scikit-learn's tree all leaves have its value.
    """
    inner = 2**depth - 1
    places = np.zeros(2 * inner + 1, dtype=np.int64)
    for i in range(inner):
        leaf = tree.children_left[places[i]] < 0
        for child, of in (
            (2 * i + 1, tree.children_left),
            (2 * i + 2, tree.children_right),
        ):
            places[child] = places[i] if leaf else of[places[i]]
    asked = places[:inner]
    leaves = tree.children_left[asked] < 0
    exact = np.where(leaves, 0.0, tree.threshold[asked])
    rounded = exact.astype(np.float32)
    # Of float32 numbers the same ones are at most the next lower threshold.
    rounded = np.where(
        rounded > exact, np.nextafter(rounded, np.float32(-np.inf)), rounded
    )
    return (
        np.where(leaves, 0, tree.feature[asked]).astype(np.int32),
        rounded,
        tree.value[places[inner:], 0, 0],
    )
