"""What a tested difference lets a page say.

Words such as "above" come from here alone. A claim needs enough seeds on both
sides, an interval over seeds and questions without 0, and a p value that stays
small when it is corrected for all tests of the paper.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

from keras_qa.ranking.intervals import least_p_value
from reproductions.records.paired_tests import Condition
from reproductions.records.paired_tests import PairedTest
from reproductions.report.rules.verdicts import LEAST_SEEDS
from reproductions.report.rules.verdicts import seeded

HIGHER, LOWER, LEVEL = "above", "below", "level with"
# The interval and the corrected p value do not agree.
UNDECIDED = "undecided"
# Too few seeds, or too few permutations for any p value to be small enough.
NOTHING = "no claim"


def corrected(p_values: Sequence[float]) -> list[float]:
    """Holm's correction of the p values of a family of tests.

    Args:
        p_values: the p values.

    Returns:
        The corrected ones, in the same order: the smallest times the number of
        tests, the next times one less, and so on, none smaller than one before
        and none above 1.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    found, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        scaled = p_values[place] * (len(p_values) - rank)
        highest = max(highest, min(scaled, 1.0))
        found[place] = highest
    return found


def interval(test: PairedTest) -> tuple[float, float]:
    """The interval of a difference over seeds and questions.

    Tests that were recorded with an interval over questions alone have each
    half of it widened by what the seeds' deviations add to a normal interval.
    """
    low, high = test.interval
    if test.resampled != "questions":
        return low, high
    wide = NormalDist().inv_cdf((1 + test.confidence) / 2)
    added = wide**2 * sum(map(_variance, (test.first, test.second)))
    return (
        test.difference - math.sqrt((test.difference - low) ** 2 + added),
        test.difference + math.sqrt((high - test.difference) ** 2 + added),
    )


def claim(test: PairedTest, p_value: float) -> str:
    """What may be said of the first condition next to the second.

    Args:
        test: the test.
        p_value: its corrected p value.

    Returns:
        `HIGHER`, `LOWER`, `LEVEL`, `UNDECIDED` or `NOTHING`.
    """
    if not all(map(enough_seeds, (test.first, test.second))):
        return NOTHING
    low, high = interval(test)
    large = p_value > 1 - test.confidence
    if large and test.p_value <= least_p_value(test.permutations):
        return NOTHING
    without_0 = not low <= 0 <= high
    if large == without_0:
        return UNDECIDED
    if large:
        return LEVEL
    return HIGHER if test.difference > 0 else LOWER


def enough_seeds(condition: Condition) -> bool:
    """True if a condition has the seeds that a claim needs."""
    return not seeded(condition) or len(condition.seeds) >= LEAST_SEEDS


def _variance(condition: Condition) -> float:
    """Of the mean over seeds; 0 for one seed, whose variation is not known."""
    return (condition.deviation or 0.0) ** 2 / len(condition.seeds)
