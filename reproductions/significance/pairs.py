"""Which groups of runs a paper wants compared with each other."""

from collections.abc import Iterator
from collections.abc import Sequence

from reproductions.records.papers import WantedTest
from reproductions.records.papers import whose
from reproductions.records.seed_groups import AFTER
from reproductions.records.seed_groups import FOLD
from reproductions.records.seed_groups import NO_FOLD
from reproductions.records.seed_groups import UNTRAINED
from reproductions.records.seed_groups import Group
from reproductions.records.seed_groups import canonical


def pairs(
    groups: Sequence[Group], wanted: Sequence[WantedTest], paper: str
) -> Iterator[tuple[Group, Group, str]]:
    """Yields the two groups and the metric of each test that a paper wants.

    Args:
        groups: groups of runs of all papers.
        wanted: the wanted tests.
        paper: the paper's key.
    """
    varied = {name for test in wanted for name in test.varied}
    for test in wanted:
        for first in groups:
            for second in groups:
                if (
                    first is not second
                    and _named(test.first, paper, first)
                    and _named(test.second, paper, second)
                    and _fits(test, varied, first, second)
                ):
                    yield first, second, test.metric


def _named(name: str, paper: str, group: Group) -> bool:
    """True if a wanted test's name is that of a group's model or row."""
    owner, model = whose(name, paper)
    if model == "*":
        return group.paper == owner and group.recipe != UNTRAINED
    return group.paper == owner and model in (group.model, group.row)


def _fits(
    test: WantedTest, varied: set[str], first: Group, second: Group
) -> bool:
    # The second group has its recipe's values of all varied settings. The first
    # may have other values of those that this test varies. Any other setting
    # that was changed must be the same in both.
    return (
        (first.dataset, first.split) == (second.dataset, second.split)
        and varied.intersection(first.overrides) <= set(test.varied)
        and not varied.intersection(second.overrides)
        and (
            second.recipe == UNTRAINED
            or _trained(first, varied, test) == _trained(second, varied)
        )
        and _vectors_fit(test, first, second)
        # A recipe that was changed since would be tested, too.
        and (first.model != second.model or first.earlier == second.earlier)
    )


def _vectors_fit(test: WantedTest, first: Group, second: Group) -> bool:
    if test.fewer_vectors:
        return set() < set(second.vectors) < set(first.vectors)
    return test.other_vectors or second.vectors in (first.vectors, ())


def _trained(
    group: Group, varied: set[str], test: WantedTest | None = None
) -> str:
    changed = {k: v for k, v in group.overrides.items() if k not in varied}
    own = group.training_set
    if test and NO_FOLD.intersection(test.varied, group.overrides):
        own = own.removesuffix(FOLD)
    if test and test.transfer:
        # Without what came before; of one that nothing did, no group's.
        own, found, _ = own.partition(AFTER)
        own = own if found else ""
    return canonical([group.recipe, own, changed])
