"""Logistic regression on a few features of pairs, or of candidates."""

from collections.abc import Sequence

import numpy as np


def logistic_regression(
    features: np.ndarray, labels: np.ndarray, l2: float = 1.0
) -> tuple[np.ndarray, float]:
    """The weights and the bias of least logistic loss.

    They are the w and c that minimise

        Σ_i ln(1 + exp(-y_i (w · x_i + c))) + l2 / 2 |w|²

    with y_i = 1 for a right answer and -1 for a wrong one. The bias is not
    regularised. scikit-learn calls 1 / l2 `C`. The minimum is found by L-BFGS
    (scipy).

    Args:
        features: float array `(pairs, features)`, of about one scale.
        labels: 0 and 1, `(pairs,)`; values above 1 count as 1.
        l2: strength of the regularisation, positive.

    Returns:
        The weights, float64 `(features,)`, and the bias.

    Raises:
        ValueError: if an argument is out of range, the features are not
            finite, or all labels are equal.

    Example:
        >>> features = np.array([[-2.0], [-1.0], [1.0], [2.0]])
        >>> weights, bias = logistic_regression(features, [0, 0, 1, 1])
        >>> weights.round(3)
        [1.007]
    """
    from scipy.optimize import minimize

    x, right = check_labelled(features, labels)
    _check_l2(l2)
    signs = np.where(right, 1.0, -1.0)

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        weights = parameters[:-1]
        margins = signs * (x @ weights + parameters[-1])
        value = np.logaddexp(0, -margins).sum() + l2 / 2 * weights @ weights
        # By the scores: -y / (1 + exp(margin))
        slopes = -signs * np.exp(-np.logaddexp(0, margins))
        gradient = np.append(x.T @ slopes + l2 * weights, slopes.sum())
        return value, gradient

    found = minimize(
        loss,
        np.zeros(x.shape[1] + 1),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-9},
    ).x
    return found[:-1], float(found[-1])


def listwise_regression(
    features: np.ndarray,
    labels: Sequence[np.ndarray],
    l2: float = 1.0,
) -> np.ndarray:
    """The weights that best tell a question's right answers from its wrong.

    They are the w that minimise

        Σ_q (ln Σ_j exp(w · x_qj) - mean of w · x_qr over right r) + l2 / 2 |w|²

    over the questions that have both: a conditional logistic regression,
    which is `keras_qa.losses.ListwiseSoftmax` of linear scores. What all
    candidates of a question share, such as the length of the question, makes
    no difference, unlike in `logistic_regression`.

    Args:
        features: float array `(pairs, features)`, of about one scale, the
            candidates of a question one after another.
        labels: of each question those of its candidates, 0 for a wrong one.
        l2: strength of the regularisation, positive.

    Returns:
        The weights, float64 `(features,)`.

    Raises:
        ValueError: if an argument is out of range, the features are not
            finite, or no question has right answers and wrong ones.

    Example:
        >>> features = np.array([[1.0], [0.0], [3.0], [2.0]])
        >>> listwise_regression(features, [[1, 0], [1, 0]]).round(3)
        [0.675]
    """
    from scipy.optimize import minimize

    x = _checked(features, sum(map(len, labels)))
    _check_l2(l2)
    mixed = [np.asarray(of_one) > 0 for of_one in labels]
    chosen = [bool(r.any() and not r.all()) for r in mixed]
    if not any(chosen):
        raise ValueError(
            "`labels` must have a question with right answers and wrong ones. "
            f"Received: {len(labels)} questions without"
        )
    x = x[np.repeat(chosen, [len(r) for r in mixed])]
    mixed = [r for r, kept in zip(mixed, chosen, strict=True) if kept]
    sizes = np.array([len(r) for r in mixed])
    starts = np.cumsum(sizes) - sizes
    # The target: equal shares of the right answers.
    target = np.concatenate([r / r.sum() for r in mixed])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = x @ weights
        highest = np.maximum.reduceat(scores, starts)
        powers = np.exp(scores - np.repeat(highest, sizes))
        totals = np.add.reduceat(powers, starts)
        value = (highest + np.log(totals)).sum() - target @ scores
        shares = powers / np.repeat(totals, sizes)
        gradient = x.T @ (shares - target) + l2 * weights
        return value + l2 / 2 * weights @ weights, gradient

    return minimize(
        loss,
        np.zeros(x.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-9},
    ).x


def check_labelled(
    features: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Checks what is fitted to labels of pairs.

    Args:
        features: float array `(pairs, features)`.
        labels: 0 and 1, `(pairs,)`; values above 1 count as 1.

    Returns:
        The features as float64, and True for each right answer, bool
        `(pairs,)`.

    Raises:
        ValueError: if the numbers of pairs differ, the features are not
            finite, or all labels are equal.
    """
    right = np.asarray(labels) > 0
    x = _checked(features, len(right))
    if right.all() or not right.any():
        raise ValueError(
            "`labels` must have right answers and wrong ones. "
            f"Received: {int(right.sum())} right, {int((~right).sum())} wrong"
        )
    return x, right


def _check_l2(l2: float) -> None:
    if not 0 < l2 < np.inf:
        raise ValueError(
            f"`l2` must be positive and finite. Received: l2={l2!r}"
        )


def _checked(features: np.ndarray, pairs: int) -> np.ndarray:
    """The features as float64, after checks that all regressions share."""
    x = np.asarray(features, dtype=np.float64)
    if x.ndim != 2 or len(x) != pairs:
        raise ValueError(
            "`features` must have the shape (pairs, features), and `labels` "
            f"(pairs,). Received: features.shape={x.shape!r}, "
            f"labels.shape={(pairs,)!r}"
        )
    if not np.isfinite(x).all():
        raise ValueError(
            "`features` must be finite. "
            f"Received: features={x[~np.isfinite(x).all(axis=1)][0]}"
        )
    return x
