"""Floors: rankings without a trained network, which a model should pass."""

from collections.abc import Iterable
from collections.abc import Sequence

from reproductions.records.seed_groups import Group

METRIC = "MAP"
# A ranking without a network, which has settings of recipes.
TERM_DEPENDENCE = "wsdm"
# Stands next to a figure below the best floor.
BELOW = "↓"
UNTRAINED, FITTED = "untrained", "fitted"


class Floors:
    """The floors of all papers, as one paper's page needs them.

    A floor is a group of runs without a trained network. Of the same floor
    with the same vectors, a paper's page takes its own paper's, since another
    paper's tokenizer may differ, and otherwise the one with the highest MAP.

    Args:
        groups: the measured runs of all papers.
        paper: the key of the page's paper.
    """

    def __init__(self, groups: Iterable[Group], paper: str):
        self._groups = sorted(
            filter(is_untrained, groups),
            key=lambda group: (group.paper != paper, -mean_of(group)),
        )

    def of(
        self, dataset: str, split: str, vectors: Sequence[str]
    ) -> list[Group]:
        """The floors of word vectors, and those that read none; best first.

        Args:
            dataset: name of the data set.
            split: name of the split.
            vectors: names of the vectors, as in `Group`.
        """
        found: dict[tuple[str, tuple[str, ...]], Group] = {}
        for group in self._groups:
            same = (group.dataset, group.split) == (dataset, split)
            if same and group.vectors in ((), tuple(vectors)):
                found.setdefault((group.model, group.vectors), group)
        return sorted(found.values(), key=mean_of, reverse=True)

    def best(self, group: Group) -> Group | None:
        """The best floor of a group's own vectors, None if there is no floor.

        There is none of a floor, and none of a group without MAP.
        """
        if is_untrained(group) or METRIC not in group.metrics:
            return None
        found = self.of(group.dataset, group.split, group.vectors)
        return found[0] if found else None

    def above(self, group: Group) -> float | None:
        """How far a group's MAP is above that of the best floor, or None."""
        best = self.best(group)
        return None if best is None else mean_of(group) - mean_of(best)


def is_untrained(group: Group) -> bool:
    """Returns True for a measured ranking without a trained network."""
    without = group.recipe == UNTRAINED or group.model == TERM_DEPENDENCE
    return without and METRIC in group.metrics


def mean_of(group: Group) -> float:
    """The mean of the metric that floors are compared by; 0 without one."""
    statistic = group.metric(METRIC)
    return statistic.mean if statistic else 0.0
