"""Floors: rankings without a trained network, which a model should pass."""

from collections.abc import Iterable
from collections.abc import Sequence

from reproductions.records.seed_groups import Group

METRIC = "MAP"
# Stands next to a figure below the best floor.
BELOW = "↓"
UNTRAINED, FITTED = "untrained", "fitted"
# Stands next to the recipe or the figure of a sum of network and floor.
SUM = "⊕"
ABOUT_SUMS = f"""\
{SUM}: the score is not the network's alone. It is a weighted sum of that and of
the floor `features`, all of it fitted together (`joint_weight`). Two such sums
have the floor in common, so that networks are likely to differ less here than
alone, and no figure says what its network reaches alone. A name with "no
features" means that none are inside the network."""


class Floors:
    """The floors of all papers, as one paper's page needs them.

    A floor is a group of runs with the recipe `untrained`. Of the same floor
    with the same vectors, a paper's page takes its own paper's, since another
    paper's tokenizer may differ, and otherwise the one with the highest MAP.

    Args:
        groups: the measured runs of all papers.
        paper: the key of the page's paper.
    """

    def __init__(self, groups: Iterable[Group], paper: str):
        self._groups = sorted(
            filter(is_floor, groups),
            key=lambda group: (group.paper != paper, -_mean(group)),
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
        return sorted(found.values(), key=_mean, reverse=True)

    def best(self, group: Group) -> Group | None:
        """The best floor of a group's own vectors, None if there is no floor.

        There is none of a floor, and none of a group without MAP.
        """
        if is_floor(group) or METRIC not in group.metrics:
            return None
        found = self.of(group.dataset, group.split, group.vectors)
        return found[0] if found else None

    def above(self, group: Group) -> float | None:
        """How far a group's MAP is above that of the best floor, or None."""
        best = self.best(group)
        return None if best is None else _mean(group) - _mean(best)


def is_floor(group: Group) -> bool:
    """Returns True for a measured ranking without a trained network."""
    return group.recipe == UNTRAINED and METRIC in group.metrics


def recipe_of(group: Group) -> str:
    """The recipe of some runs, for readers, with `SUM` if it is of one.

    The records have one for all rankings without a network. Those that fitted
    something to the labels of train, such as weights of features, recorded it.
    """
    if group.recipe == UNTRAINED and any(r.get("fitted") for r in group.runs):
        return FITTED
    return f"{group.recipe}{mark_of(group)}"


def is_sum(group: Group) -> bool:
    """Returns True if a network was fitted together with the floor `features`.

    Rankings without a network may have the setting, which is of no use there.
    """
    weight = group.settings.get("joint_weight")
    return weight is not None and group.recipe != UNTRAINED


def mark_of(group: Group | None) -> str:
    """What stands after the recipe or the figure of some runs, if anything."""
    return f" {SUM}" if group is not None and is_sum(group) else ""


def marks_of(groups: Sequence[Group | None]) -> list[str]:
    """The mark of a model's name, if all its figures have it, then of each."""
    found = [mark_of(group) for group in groups]
    if all(found[i] for i, group in enumerate(groups) if group is not None):
        return [max(found, default=""), *("" for _ in found)]
    return ["", *found]


def about_sums(groups: Iterable[Group]) -> list[str]:
    """What `SUM` means, if a group has it; none otherwise."""
    return [ABOUT_SUMS] if any(map(is_sum, groups)) else []


def _mean(group: Group) -> float:
    statistic = group.metric(METRIC)
    return statistic.mean if statistic else 0.0
