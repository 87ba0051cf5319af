"""Logistic regression on a few features of pairs."""

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

    x = np.asarray(features, dtype=np.float64)
    signs = np.where(np.asarray(labels) > 0, 1.0, -1.0)
    if not 0 < l2 < np.inf:
        raise ValueError(
            f"`l2` must be positive and finite. Received: l2={l2!r}"
        )
    if x.ndim != 2 or x.shape[:1] != signs.shape:
        raise ValueError(
            "`features` must have the shape (pairs, features), and `labels` "
            f"(pairs,). Received: features.shape={x.shape!r}, "
            f"labels.shape={signs.shape!r}"
        )
    if not np.isfinite(x).all():
        raise ValueError(
            "`features` must be finite. "
            f"Received: features={x[~np.isfinite(x).all(axis=1)][0]}"
        )
    if len(np.unique(signs)) < 2:
        raise ValueError(
            "`labels` must have right answers and wrong ones. "
            f"Received: {int((signs > 0).sum())} right, "
            f"{int((signs < 0).sum())} wrong"
        )

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
