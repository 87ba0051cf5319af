"""Multi-resolution word embedding: combination of layers and of encoders.

Cakaloglu and Xu, "A multi-resolution word embedding for document retrieval
from large unstructured knowledge bases", 2019; Cakaloglu, Xu and Raghavan,
"MRNN", ICAART 2023, section 4.3.1, whose Tables 2 and 3 name the arguments.
"""

from collections.abc import Sequence

import numpy as np

from keras_qa.arguments import check_choice

COMBINE = ("sum", "concat")


def f_mixture(
    layers: np.ndarray,
    m: Sequence[float],
    w_idf: float = 0.0,
    f_mix: str = "sum",
    idf: np.ndarray | None = None,
) -> np.ndarray:
    """Mixes the layers of an encoder into one vector for each word.

    With x_j the vector of a word in layer j,

        idf^w_idf Σ_j m_j x_j                   if `f_mix` is "sum",
        idf^w_idf [m_1 x_1, ..., m_L x_L]       if it is "concat",

    where layers of weight 0 are omitted. The arguments are the columns of
    Table 2, which gives W_idf as 0 or 1 without a formula; it is interpreted as
    an exponent, so that 0 has no effect.

    Args:
        layers: float `(..., layers, words, width)`.
        m: the weight of each layer, in the order of `layers`.
        w_idf: exponent of the words' inverse document frequency.
        f_mix: `"sum"` or `"concat"`.
        idf: float `(..., words)`, positive; required unless `w_idf` is 0.

    Returns:
        float32 `(..., words, width)`; for `"concat"`, `width` is multiplied by
        the number of layers of nonzero weight.

    Raises:
        ValueError: if an argument is out of range, or shapes do not fit.

    Example:
        >>> layers = np.array([[[1, 2]], [[3, 4]], [[5, 6]]])
        >>> f_mixture(layers, [0.5, 0, 0.5], 1, "concat", np.array([2]))
        [[1., 2., 5., 6.]]
    """
    layers = np.asarray(layers, np.float32)
    check_combination("f_mix", f_mix, "m", m)
    if layers.ndim < 3 or layers.shape[-3] != len(m):
        raise ValueError(
            f"`layers` must have the shape (..., {len(m)}, words, width), a "
            f"layer for each weight. Received: layers.shape={layers.shape}"
        )
    parts = [
        np.float32(weight) * layers[..., j, :, :]
        for j, weight in enumerate(m)
        if weight
    ]
    mixed = sum(parts) if f_mix == "sum" else np.concatenate(parts, axis=-1)
    if not w_idf:
        return np.asarray(mixed)
    wanted = (*layers.shape[:-3], layers.shape[-2])
    if idf is None or np.shape(idf) != wanted:
        raise ValueError(
            f"`idf` must have the shape {wanted}, a number for each word, "
            f"where `w_idf` is not 0. Received: w_idf={w_idf}, "
            f"idf.shape={None if idf is None else np.shape(idf)}"
        )
    factors = np.asarray(idf, np.float64) ** w_idf
    return np.asarray(mixed * factors[..., None], np.float32)


def f_ensemble(
    parts: Sequence[np.ndarray], u: Sequence[float], combine: str = "concat"
) -> np.ndarray:
    """Combines the mixtures of several encoders.

    With x_i the vector of a word in mixture i,

        [u_1 x_1, ..., u_k x_k]     if `combine` is "concat",
        Σ_i u_i x_i                 if it is "sum".

    Args:
        parts: the mixtures, float `(..., width)` each; for `"sum"`, all widths
            must be equal.
        u: the weight of each mixture (Table 3: 1/3 each).
        combine: `"concat"` (Table 3) or `"sum"`.

    Returns:
        float32 `(..., width)`; for `"concat"`, `width` is the sum of the
        widths of the mixtures of nonzero weight.

    Raises:
        ValueError: if an argument is out of range, or shapes do not fit.

    Example:
        >>> f_ensemble([np.array([[1, 2]]), np.array([[4]])], [0.5, 0.25])
        [[0.5, 1., 1.]]
    """
    check_combination("combine", combine, "u", u)
    shapes = [np.shape(part) for part in parts]
    fixed = {shape if combine == "sum" else shape[:-1] for shape in shapes}
    if len(parts) != len(u) or len(fixed) != 1:
        raise ValueError(
            f"`parts` must be {len(u)} arrays, one for each weight, that can "
            f"be joined by {combine!r}. Received: shapes {shapes}"
        )
    scaled = [
        np.float32(weight) * np.asarray(part, np.float32)
        for part, weight in zip(parts, u, strict=True)
        if weight
    ]
    if combine == "sum":
        return np.asarray(sum(scaled))
    return np.concatenate(scaled, axis=-1)


def check_combination(
    name: str, combine: str, weights_name: str, weights: Sequence[float]
) -> None:
    """Checks a kind of combination and its weights.

    Args:
        name: name of the argument `combine`, for error messages.
        combine: the kind of combination.
        weights_name: name of the argument `weights`, for error messages.
        weights: the weights.

    Raises:
        ValueError: if `combine` is neither `"sum"` nor `"concat"`, a weight is
            not finite, or all weights are 0.
    """
    check_choice(name, combine, COMBINE)
    if not np.isfinite(np.asarray(weights, float)).all() or not np.any(weights):
        raise ValueError(
            f"`{weights_name}` must hold finite weights, one of them not 0. "
            f"Received: {weights_name}={list(weights)}"
        )
