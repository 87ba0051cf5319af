"""Verdicts: our figures compared with a paper's.

A verdict needs the paper's split, word vectors, training set and settings,
vectors that cover most running words, and enough seeds.
"""

from reproductions.records.paired_tests import Condition
from reproductions.records.papers import ResultsTable
from reproductions.records.papers import Row
from reproductions.records.seed_groups import UNTRAINED
from reproductions.records.seed_groups import Group

# Where vectors lack more running words than this, another model is compared.
LEAST_COVERED = 0.9
# Of a ranking that its seed changes: with fewer, nothing is claimed.
LEAST_SEEDS = 5
# Paragraph vectors: without a network, but the seed changes them.
DRAWN = ("pv", "pv-cnt")


def differs_in(table: ResultsTable, group: Group) -> list[str]:
    """What makes runs and a table not comparable; empty if they are.

    Args:
        table: the paper's table.
        group: runs on the table's data set.

    Returns:
        Some of `"split"`, `"vectors"`, `"training set"` and `"settings"`.
    """
    found = []
    if group.split != table.split:
        found.append("split")
    if group.vectors and group.vectors != tuple(sorted(table.vectors)):
        found.append("vectors")
    if group.recipe != UNTRAINED and not _same_training_set(table, group):
        found.append("training set")
    if group.recipe not in ("paper", UNTRAINED) or group.changed:
        found.append("settings")
    return found


def refusals(table: ResultsTable, group: Group) -> list[str]:
    """Why runs get no verdict, in words; empty if they get one.

    Args:
        table: the paper's table.
        group: runs on the table's data set.
    """
    found = []
    if different := differs_in(table, group):
        found.append(f"other {', '.join(different)}")
    if poorly_covered(group):
        found.append(
            f"vectors of {group.covered:.0%} of the running words, under "
            f"{LEAST_COVERED:.0%}"
        )
    if too_few_seeds(group):
        found.append(f"{len(group.runs)} of {LEAST_SEEDS} seeds")
    return found


def poorly_covered(group: Group) -> bool:
    """True if too few running words of some runs have a vector."""
    return group.covered is not None and group.covered < LEAST_COVERED


def too_few_seeds(group: Group) -> bool:
    """True if a ranking that its seed changes has too few for a claim."""
    return seeded(group) and len(group.runs) < LEAST_SEEDS


def seeded(ranking: Group | Condition) -> bool:
    """True for a ranking that its seed changes."""
    return ranking.recipe != UNTRAINED or ranking.model in DRAWN


def verdict(table: ResultsTable, row: Row, group: Group) -> str:
    """Compares a group of runs with a row of a paper's table.

    Args:
        table: the paper's table.
        row: its row.
        group: runs of that model on the table's data set and split.

    Returns:
        Why there is no verdict, or "within" or "outside" the table's tolerance
        with the largest difference.
    """
    if reasons := refusals(table, group):
        return f"*{'; '.join(reasons)}*"
    differences = {}
    for name, printed in row.metrics.items():
        measured = table.measured(name, group)
        if measured is None:
            return f"*no {name} measured*"
        differences[name] = measured.mean - printed
    name, largest = max(differences.items(), key=lambda item: abs(item[1]))
    # Papers round: half a unit of the last printed decimal is allowed.
    digits = min(table.digits, 3)
    within = abs(largest) <= table.tolerance + 0.5 * 10**-table.digits
    return (
        f"**{'within' if within else 'outside'}** "
        f"{table.tolerance:g} ({name} {largest:+.{digits}f})"
    )


def _same_training_set(table: ResultsTable, group: Group) -> bool:
    # Papers print pairs in thousands, and may drop pairs that no model can use.
    missing = abs(group.training_pairs - table.training_pairs)
    return (
        group.training_set == table.training_set
        and missing <= 0.05 * table.training_pairs
    )
