"""Intervals and tests over questions, and seeds, of one ranking or of two."""

import numpy as np

RESAMPLES = 10_000
CONFIDENCE = 0.95
RNG_SEED = 0
# Numbers of resamples, and of their values, that are in memory together.
AT_A_TIME = 500
VALUES = 2_000_000


def mean_interval(values: np.ndarray) -> tuple[float, float]:
    """The ends of the bootstrap interval of a mean over questions.

    They are the percentiles of the means of `RESAMPLES` resamples that leave
    `CONFIDENCE` between them, moved away from the mean by the factor
    t sqrt(n / (n - 1)) / z for n questions, with the percentiles t of Student's
    distribution and z of the normal one. Without it, the intervals of few
    questions are too narrow: of 10, by a fifth.

    Args:
        values: a value of each question, `(questions,)`.

    Returns:
        The ends; infinite for one question, whose variation is not known.

    Reference: Hesterberg, 2015, "What Teachers Should Know About the
    Bootstrap", section 4.
    """
    # As `scipy.stats.bootstrap`, whose import takes most of a second.
    from scipy.special import ndtri
    from scipy.special import stdtrit

    values = np.asarray(values)
    count = len(values)
    if count < 2:
        return -np.inf, np.inf
    rng = np.random.default_rng(RNG_SEED)
    size = at_a_time(count, AT_A_TIME)
    means = [
        values[rng.integers(0, count, (rows, count))].mean(axis=1)
        for rows in np.diff([*range(0, RESAMPLES, size), RESAMPLES]).tolist()
    ]
    ends = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2
    low, high = np.quantile(np.concatenate(means), ends)
    wider = stdtrit(count - 1, ends[1]) / ndtri(ends[1])
    wider *= np.sqrt(count / (count - 1))
    mean = values.mean()
    low, high = mean + wider * (np.array([low, high]) - mean)
    return float(low), float(high)


def at_a_time(count: int, most: int) -> int:
    """How many resamples of some values to take at a time, at most `most`."""
    return max(1, min(most, VALUES // count))


def seeds_interval(
    first: np.ndarray, second: np.ndarray | None = None
) -> tuple[float, float]:
    """The bootstrap interval of a mean over seeds and questions.

    Each resample draws the questions, which both conditions share, and the
    seeds of each condition anew; of one seed the variation is not known, and
    only the questions are drawn.

    Args:
        first: the value of each seed and question, `(seeds, questions)`.
        second: the same of a second condition, `(other_seeds, questions)`,
            whose mean is subtracted; None for the first's own mean.

    Returns:
        The percentiles of `RESAMPLES` resamples that leave `CONFIDENCE` between
        them.
    """
    conditions = [np.atleast_2d(first)]
    if second is not None:
        conditions.append(-np.atleast_2d(second))
    rng = np.random.default_rng(RNG_SEED)
    means = [_resampled(rng, conditions) for _ in range(RESAMPLES // AT_A_TIME)]
    ends = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2
    low, high = np.quantile(np.concatenate(means), ends)
    return float(low), float(high)


def _resampled(
    rng: np.random.Generator, conditions: list[np.ndarray]
) -> np.ndarray:
    """Sums of the conditions' means in some resamples, `(AT_A_TIME,)`."""
    total = sum(_shares(rng, len(values)) @ values for values in conditions)
    return (_shares(rng, conditions[0].shape[1]) * total).sum(axis=1)


def _shares(rng: np.random.Generator, count: int) -> np.ndarray:
    """How often each of some things is drawn, as shares that sum to 1."""
    drawn = rng.multinomial(count, np.full(count, 1 / count), AT_A_TIME)
    return drawn / count


def paired_difference(
    first: np.ndarray,
    second: np.ndarray,
    batch: int | None = None,
    permutations: int = RESAMPLES,
) -> tuple[float, float]:
    """Tests the mean difference of paired values.

    Args:
        first: values of the first condition, `(questions,)`.
        second: values of the second condition, for the same questions.
        batch: the permutations that are computed at a time, which bounds the
            memory; None takes all.
        permutations: how many are drawn; the least p value is
            `least_p_value` of them. Few questions have fewer, and all are
            taken.

    Returns:
        The mean difference, and the two-sided p value of the permutation test,
        which exchanges a question's two values at random: 1 for one question.
    """
    differences = first - second
    if len(differences) < 2:
        # Both exchanges are equally far from 0, and scipy takes no such test.
        return float(differences.mean()), 1.0
    # Imported here because the import takes a second.
    from scipy import stats

    test = stats.permutation_test(
        (first, second),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=permutations,
        batch=batch,
        rng=np.random.default_rng(RNG_SEED),
    )
    return float(differences.mean()), float(test.pvalue)


def least_p_value(permutations: int) -> float:
    """The smallest two-sided p value that drawn permutations can give.

    Args:
        permutations: how many are drawn, to which the values as they are count
            as one more.
    """
    return 2 / (permutations + 1)
